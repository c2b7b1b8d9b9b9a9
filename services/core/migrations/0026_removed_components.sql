-- Published pages that showed the component when it was deleted while the incident was open: the
-- incident stays on them.
ALTER TABLE incident_components ADD COLUMN retained_page_ids uuid[] NOT NULL DEFAULT '{}';
CREATE INDEX incident_components_retained ON incident_components (organization_id, incident_id)
  WHERE retained_page_ids <> '{}';

-- Drafts of incidents, as alerts propose them: in a table of their own, so that nothing that shows or
-- tells of incidents can come upon one.

CREATE TABLE incident_drafts (
  -- Of the alert, for as long as it fires: told again, it drafts nothing.
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  -- Of the signal that was taken last; an older one changes nothing.
  version int NOT NULL,
  status text NOT NULL CHECK (status IN ('waiting', 'published', 'vetoed', 'closed')),
  title text NOT NULL,
  message text NOT NULL,
  impact text NOT NULL CHECK (impact IN ('minor', 'major', 'critical')),
  component_ids uuid[] NOT NULL,
  started_at timestamptz(3) NOT NULL,
  integration_id uuid NOT NULL,
  publish_at timestamptz(3) CHECK (publish_at IS NULL OR status = 'waiting'),
  alert_resolved_at timestamptz(3),
  incident_id uuid CHECK ((incident_id IS NOT NULL) = (status = 'published')),
  notes json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant incident_drafts
CREATE INDEX ON incident_drafts (organization_id, created_at, id);
CREATE INDEX ON incident_drafts (organization_id, updated_at, id);
CREATE INDEX incident_drafts_due ON incident_drafts (publish_at) WHERE publish_at IS NOT NULL;
CREATE INDEX ON incident_drafts (updated_at);

-- The clock publishes in all organizations, and forgets.
CREATE POLICY due ON incident_drafts TO core_due USING (true);
GRANT SELECT (organization_id, id, publish_at, updated_at), DELETE ON incident_drafts TO core_due;

INSERT INTO outbox_consumer (consumer, kinds) VALUES ('core-signals', '{alert-signal.received}');

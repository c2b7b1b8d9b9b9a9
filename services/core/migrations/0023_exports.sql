-- Pages written out as files, so that they outlive the service: what lies where, and when it is looked at.

-- Without a reference to its page: what is deleted has files to remove.
CREATE TABLE page_exports (
  organization_id uuid NOT NULL,
  status_page_id uuid NOT NULL,
  slug text NOT NULL,
  -- Path to digest of what was written.
  files jsonb NOT NULL,
  -- When it is next looked at; who works on it puts it ahead.
  next_at timestamptz(3) NOT NULL,
  exported_at timestamptz(3),
  PRIMARY KEY (organization_id, status_page_id)
);
-- tenant page_exports
CREATE INDEX page_exports_next ON page_exports (next_at);

GRANT SELECT, INSERT, UPDATE (next_at) ON page_exports TO core_due;
CREATE POLICY due ON page_exports TO core_due USING (true);
GRANT SELECT (slug, visibility, is_published) ON status_pages TO core_due;

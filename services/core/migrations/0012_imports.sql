-- What was taken over from another status page, by the id that it has there: a second import finds it.

CREATE TABLE imported_records (
  organization_id uuid NOT NULL,
  source text NOT NULL,
  kind text NOT NULL CHECK (kind IN ('component', 'incident', 'maintenance')),
  source_id text NOT NULL,
  record_id uuid NOT NULL,
  -- Of the updates that came along, by their ids at the source.
  update_ids text[] NOT NULL DEFAULT '{}',
  imported_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, source, kind, source_id)
);
-- tenant imported_records

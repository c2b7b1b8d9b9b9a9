-- Which batches of config-sync have taken effect, so that a repeat after a crash does nothing.

CREATE TABLE integration_batches (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant integration_batches

-- METRIC components: measured by integrations, shown like any other.

ALTER TABLE components DROP CONSTRAINT components_type_check;
ALTER TABLE components ADD CHECK (type IN ('SERVICE', 'ENDPOINT', 'METRIC')),
  -- What is asked of which integration. Null unless METRIC.
  ADD COLUMN metric json CHECK ((metric IS NOT NULL) = (type = 'METRIC')),
  ADD COLUMN last_value double precision,
  ADD COLUMN last_value_at timestamptz(3);

-- Core's copy of the integrations: which of them a METRIC component may name. By the facts of their
-- service; one that was removed stays, so that an older fact cannot revive it.
CREATE TABLE integrations (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  is_removed boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant integrations

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('core-integrations', '{integration.created,integration.updated,integration.deleted}'),
  ('core-metrics', '{metric.summarised}');

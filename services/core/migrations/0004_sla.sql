-- Service levels: what they ask, how they stand, and which incidents missed their targets.

CREATE TABLE slas (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  description text,
  -- Ids outlive their components, so that a scope never changes by itself.
  component_ids uuid[] NOT NULL CHECK (cardinality(component_ids) BETWEEN 1 AND 100),
  target_percentage double precision NOT NULL
    CHECK (target_percentage > 0 AND target_percentage < 100),
  window_type text NOT NULL
    CHECK (window_type IN ('rolling', 'calendar_month', 'calendar_quarter')),
  window_days int NOT NULL CHECK (window_days BETWEEN 1 AND 366),
  timezone text NOT NULL,
  aggregation text NOT NULL CHECK (aggregation IN ('any_down', 'average')),
  downtime_statuses text[] NOT NULL,
  partial_weight double precision NOT NULL,
  exclude_maintenance boolean NOT NULL,
  min_outage_seconds int NOT NULL,
  at_risk_threshold double precision NOT NULL,
  is_enabled boolean NOT NULL,
  response_target_minutes int,
  resolution_target_minutes int,
  -- The last evaluation: `current` as the API reads it, its status for filters and crossings.
  status text NOT NULL
    CHECK (status IN ('healthy', 'at_risk', 'breached', 'no_data', 'paused')),
  current json NOT NULL,
  -- When it is evaluated next; null while it is disabled.
  due_at timestamptz(3) CHECK ((due_at IS NOT NULL) = is_enabled),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant slas
CREATE INDEX ON slas (organization_id, name, id);
CREATE INDEX slas_due ON slas (due_at) WHERE due_at IS NOT NULL;

GRANT SELECT (organization_id, id, due_at), UPDATE (due_at) ON slas TO core_due;
CREATE POLICY due ON slas TO core_due USING (true);

-- A row for each target that an incident has missed: it is told once.
CREATE TABLE sla_misses (
  organization_id uuid NOT NULL,
  sla_id uuid NOT NULL,
  incident_id uuid NOT NULL,
  kind text NOT NULL CHECK (kind IN ('response', 'resolution')),
  due_at timestamptz(3) NOT NULL,
  told_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, sla_id, incident_id, kind),
  FOREIGN KEY (organization_id, sla_id) REFERENCES slas (organization_id, id) ON DELETE CASCADE,
  FOREIGN KEY (organization_id, incident_id) REFERENCES incidents (organization_id, id)
    ON DELETE CASCADE
);
-- tenant sla_misses
CREATE INDEX ON sla_misses (organization_id, incident_id);

-- Lists of components: one index for each filter in the usual order, one for each sort key. The array is
-- the order of the contract's enum.
DROP INDEX components_organization_id_parent_component_id_idx;
CREATE INDEX ON components (organization_id, parent_component_id, "order", name, id);
CREATE INDEX components_top_level ON components (organization_id, "order", name, id)
  WHERE parent_component_id IS NULL;
CREATE INDEX ON components (organization_id, type, "order", name, id);
CREATE INDEX ON components (organization_id, status, "order", name, id);
CREATE INDEX components_by_status ON components (organization_id, array_position(
  '{operational,degraded_performance,partial_outage,major_outage,under_maintenance}'::text[],
  status), id);
CREATE INDEX ON components (organization_id, name, id);
CREATE INDEX ON components (organization_id, created_at, id);
CREATE INDEX ON components (organization_id, updated_at, id);

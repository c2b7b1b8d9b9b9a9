-- Platforms that may be asked, what they are asked for, and what they said.

-- Leases of shards: packages/schedule/migrations/shards.sql; a test holds the two equal.
CREATE TABLE shard_lease (
  location text NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  owner uuid,
  epoch bigint NOT NULL DEFAULT 0,
  expires_at timestamptz NOT NULL DEFAULT '-infinity',
  PRIMARY KEY (location, shard)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE replica (
  id uuid PRIMARY KEY,
  location text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE integrations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('datadog', 'prometheus', 'grafana', 'newrelic')),
  is_enabled boolean NOT NULL,
  -- Its secrets are sealed, each by itself, for the purpose `integration`.
  config jsonb NOT NULL,
  managed_by_config boolean NOT NULL,
  last_test_at timestamptz(3),
  last_test_success boolean,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  CONSTRAINT integrations_name UNIQUE (organization_id, name)
);
-- tenant integrations

-- Core's components, of every type: which of them a metric query may name. One that was removed
-- stays, so that an older fact cannot revive it.
CREATE TABLE components (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  version int NOT NULL,
  is_removed boolean NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant components

-- What is asked for again and again: metric queries, and core's METRIC components, whose id is then
-- the component's; an older `version` of those is ignored. What is deleted stays as a tombstone, so
-- that a late event cannot bring it back and its values can be erased by and by.
CREATE TABLE metrics (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (kind IN ('query', 'component')),
  -- Not a foreign key: a component may name an integration that was removed meanwhile.
  integration_id uuid NOT NULL,
  version int NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  name text NOT NULL,
  query text NOT NULL,
  aggregation text NOT NULL,
  interval_seconds int NOT NULL CHECK (interval_seconds > 0),
  warning_threshold double precision,
  critical_threshold double precision,
  is_enabled boolean NOT NULL,
  -- Of a query alone.
  component_id uuid,
  unit text,
  decimal_places smallint NOT NULL,
  show_on_status_page boolean NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  deleted_at timestamptz,
  erased_at timestamptz,
  UNIQUE (organization_id, id)
);
-- tenant metrics
CREATE INDEX ON metrics (shard) WHERE is_enabled AND deleted_at IS NULL;
CREATE INDEX ON metrics (organization_id, integration_id, name) WHERE deleted_at IS NULL;
CREATE INDEX ON metrics (deleted_at) WHERE deleted_at IS NOT NULL;

-- Written with every value, all in place: no index holds what changes.
CREATE TABLE metric_states (
  organization_id uuid NOT NULL,
  metric_id uuid NOT NULL,
  polled_slot_at timestamptz,
  polled_at timestamptz(3),
  last_value double precision,
  last_value_at timestamptz(3),
  status text NOT NULL DEFAULT 'no_data'
    CHECK (status IN ('ok', 'warning', 'critical', 'no_data', 'error')),
  error text,
  -- Of a component alone: what was told, and the version of the monitor.* event that told it.
  derived_status text NOT NULL DEFAULT 'operational'
    CHECK (derived_status IN ('operational', 'degraded_performance', 'major_outage')),
  told_version int NOT NULL DEFAULT 0,
  -- Times of the last changes, newest last.
  changed_at timestamptz(3)[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, metric_id),
  FOREIGN KEY (organization_id, metric_id) REFERENCES metrics (organization_id, id)
    ON DELETE CASCADE
) WITH (fillfactor = 60);
-- tenant metric_states

-- No foreign key: it would lock the metric's row for every value.
CREATE TABLE metric_values (
  organization_id uuid NOT NULL,
  metric_id uuid NOT NULL,
  -- The time it was due: it names the poll, whoever makes it.
  slot_at timestamptz NOT NULL,
  id uuid NOT NULL,
  polled_at timestamptz(3) NOT NULL,
  status text NOT NULL CHECK (status IN ('ok', 'warning', 'critical', 'no_data', 'error')),
  error text,
  value double precision,
  duration_ms int NOT NULL,
  PRIMARY KEY (organization_id, metric_id, slot_at)
) PARTITION BY RANGE (slot_at);
-- tenant metric_values

-- Values by five minutes and by the hour, kept with every value.
CREATE TABLE metric_rollups (
  organization_id uuid NOT NULL,
  metric_id uuid NOT NULL,
  seconds smallint NOT NULL CHECK (seconds IN (300, 3600)),
  at timestamptz NOT NULL,
  polls int NOT NULL,
  "values" int NOT NULL,
  sum double precision NOT NULL,
  min double precision,
  max double precision,
  PRIMARY KEY (organization_id, metric_id, seconds, at)
) WITH (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
-- tenant metric_rollups
CREATE INDEX ON metric_rollups (seconds, at);

-- Core's maintenances as far as they hold back what is told; an older `version` is ignored.
CREATE TABLE maintenances (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  version int NOT NULL,
  component_ids uuid[] NOT NULL,
  -- Null while it lasts: what was polled before its end decides nothing.
  ended_at timestamptz(3),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- tenant maintenances
CREATE INDEX ON maintenances USING gin (component_ids);

-- Partitions belong to the owner of the parent, so they are made and dropped in its name.
CREATE FUNCTION create_value_partitions(days_ahead int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = integrations, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  today date := current_date;
  part text;
  made int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('integrations:value_partitions', 0));
  FOR day IN 0 .. least(days_ahead, 30) + 1 LOOP
    part := 'metric_values_' || to_char(today - 1 + day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass('integrations.' || part) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I PARTITION OF metric_values FOR VALUES FROM (%L) TO (%L)',
      part, today - 1 + day, today + day);
    -- Reached through the parent only; and if ever directly, as the parent's policy says.
    EXECUTE format('REVOKE ALL ON %I FROM integrations, integrations_due', part);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY tenant ON %I '
      'USING (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid) '
      'WITH CHECK (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid)', part);
    made := made + 1;
  END LOOP;
  RETURN made;
END $$;

CREATE FUNCTION drop_value_partitions(kept_days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = integrations, pg_temp SET timezone = 'UTC'
SET lock_timeout = '5s' AS $$
DECLARE
  part text;
  dropped int := 0;
BEGIN
  IF kept_days < 2 THEN RAISE EXCEPTION 'at least two days of values are kept'; END IF;
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'integrations.metric_values'::regclass
      AND c.relname < 'metric_values_' || to_char(current_date - kept_days, 'YYYYMMDD')
  LOOP
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION create_value_partitions, drop_value_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_value_partitions, drop_value_partitions TO integrations;
SELECT create_value_partitions(3);

-- Due work sees all organizations, through these columns.
GRANT SELECT ON shard_lease TO integrations_due;
GRANT SELECT (organization_id, id, version, type, is_enabled, config), UPDATE (config)
  ON integrations TO integrations_due;
GRANT SELECT (organization_id, id, kind, integration_id, version, shard, name, query, aggregation,
  interval_seconds, warning_threshold, critical_threshold, is_enabled, deleted_at, erased_at)
  ON metrics TO integrations_due;
GRANT UPDATE (erased_at), DELETE ON metrics TO integrations_due;
GRANT SELECT (organization_id, metric_id, polled_slot_at, last_value, last_value_at, derived_status)
  ON metric_states TO integrations_due;
GRANT UPDATE (polled_slot_at, polled_at, last_value, last_value_at, status, error)
  ON metric_states TO integrations_due;
GRANT SELECT (organization_id, metric_id, slot_at, status, value) ON metric_values
  TO integrations_due;
GRANT INSERT, DELETE ON metric_values TO integrations_due;
GRANT SELECT, INSERT, UPDATE, DELETE ON metric_rollups TO integrations_due;
CREATE POLICY due ON integrations TO integrations_due USING (true) WITH CHECK (true);
CREATE POLICY due ON metrics TO integrations_due USING (true) WITH CHECK (true);
CREATE POLICY due ON metric_states TO integrations_due USING (true) WITH CHECK (true);
CREATE POLICY due ON metric_values TO integrations_due USING (true) WITH CHECK (true);
CREATE POLICY due ON metric_rollups TO integrations_due USING (true) WITH CHECK (true);

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('integrations-components', '{component.created,component.updated,component.deleted}'),
  ('integrations-maintenances', '{maintenance.started,maintenance.updated,maintenance.completed}');

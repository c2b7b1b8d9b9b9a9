-- What is checked, what came of it, and which replica does it.

-- Leases of shards: packages/schedule/migrations/shards.sql.
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

-- The copy of core's ENDPOINT components; an older `version` is ignored. A deleted one stays as a
-- tombstone, so that a late event cannot bring it back.
CREATE TABLE targets (
  organization_id uuid NOT NULL,
  component_id uuid PRIMARY KEY,
  version int NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  name text NOT NULL,
  is_enabled boolean NOT NULL,
  url text NOT NULL,
  method text NOT NULL,
  -- [{name, value, sealedValue}]: sealed for `component-header`.
  headers jsonb NOT NULL,
  body text,
  interval_seconds int NOT NULL CHECK (interval_seconds > 0),
  timeout_ms int NOT NULL CHECK (timeout_ms > 0),
  conditions jsonb NOT NULL,
  failure_threshold int NOT NULL CHECK (failure_threshold > 0),
  recovery_threshold int NOT NULL CHECK (recovery_threshold > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  erased_at timestamptz,
  UNIQUE (organization_id, component_id)
);
CREATE INDEX ON targets (shard) WHERE is_enabled AND deleted_at IS NULL;
CREATE INDEX ON targets (deleted_at) WHERE deleted_at IS NOT NULL;

-- Written only when a streak or the derived status changed: a healthy target writes none.
CREATE TABLE target_states (
  organization_id uuid NOT NULL,
  component_id uuid PRIMARY KEY,
  -- Raised by every write: who writes says which one he read. Version of the monitor.* events.
  revision int NOT NULL DEFAULT 0,
  derived_status text NOT NULL DEFAULT 'operational'
    CHECK (derived_status IN ('operational', 'degraded_performance', 'major_outage')),
  -- {failing, bad, degraded, good}: [results in a row, time of the first].
  runs jsonb NOT NULL DEFAULT '{}',
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, component_id),
  FOREIGN KEY (organization_id, component_id)
    REFERENCES targets (organization_id, component_id) ON DELETE CASCADE
) WITH (fillfactor = 70);

-- No foreign key: it would lock the target's row for every check.
CREATE TABLE checks (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  -- The time it was due; with `location` it names the check, whoever makes it.
  slot_at timestamptz NOT NULL,
  location text NOT NULL,
  trigger text NOT NULL CHECK (trigger IN ('schedule', 'manual')),
  id uuid NOT NULL,
  checked_at timestamptz NOT NULL,
  status text NOT NULL CHECK (status IN ('SUCCESS', 'DEGRADED', 'FAILURE', 'TIMEOUT', 'ERROR')),
  status_code smallint,
  response_ms int,
  error text,
  condition_results jsonb NOT NULL,
  PRIMARY KEY (organization_id, component_id, slot_at, location, trigger)
) PARTITION BY RANGE (slot_at);

-- Figures by the hour, kept with every result: no figure is read from raw checks.
CREATE TABLE check_hours (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  hour_at timestamptz NOT NULL,
  checks int NOT NULL,
  successes int NOT NULL,
  response_ms_sum bigint NOT NULL,
  PRIMARY KEY (organization_id, component_id, hour_at)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.05);
CREATE INDEX ON check_hours (hour_at);

-- tenant targets
-- tenant target_states
-- tenant checks
-- tenant check_hours

-- Partitions belong to the owner of the parent, so they are made and dropped in its name.
CREATE FUNCTION create_check_partitions(days_ahead int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = monitor, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  today date := current_date;
  part text;
  made int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('monitor:check_partitions', 0));
  FOR day IN 0 .. least(days_ahead, 30) + 1 LOOP
    part := 'checks_' || to_char(today - 1 + day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass('monitor.' || part) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I PARTITION OF checks FOR VALUES FROM (%L) TO (%L)',
      part, today - 1 + day, today + day);
    -- Reached through the parent only; and if ever directly, as the parent's policy says.
    EXECUTE format('REVOKE ALL ON %I FROM monitor, monitor_due', part);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY tenant ON %I '
      'USING (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid) '
      'WITH CHECK (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid)', part);
    made := made + 1;
  END LOOP;
  RETURN made;
END $$;

CREATE FUNCTION drop_check_partitions(kept_days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = monitor, pg_temp SET timezone = 'UTC'
SET lock_timeout = '5s' AS $$
DECLARE
  part text;
  dropped int := 0;
BEGIN
  IF kept_days < 2 THEN RAISE EXCEPTION 'at least two days of checks are kept'; END IF;
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'monitor.checks'::regclass
      AND c.relname < 'checks_' || to_char(current_date - kept_days, 'YYYYMMDD')
  LOOP
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION create_check_partitions, drop_check_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_check_partitions, drop_check_partitions TO monitor;
SELECT create_check_partitions(3);

-- Due work sees all organizations, through these columns.
GRANT SELECT ON shard_lease TO monitor_due;
GRANT SELECT (organization_id, component_id, version, shard, name, is_enabled, url, method, headers,
  body, interval_seconds, timeout_ms, conditions, failure_threshold, recovery_threshold, deleted_at,
  erased_at) ON targets TO monitor_due;
GRANT UPDATE (erased_at) ON targets TO monitor_due;
GRANT DELETE ON targets TO monitor_due;
GRANT SELECT (organization_id, component_id, revision, derived_status, runs) ON target_states TO monitor_due;
GRANT UPDATE (revision, derived_status, runs, updated_at) ON target_states TO monitor_due;
GRANT SELECT (organization_id, component_id, slot_at, location, trigger, status, response_ms) ON checks TO monitor_due;
GRANT INSERT, DELETE ON checks TO monitor_due;
GRANT SELECT, INSERT, UPDATE, DELETE ON check_hours TO monitor_due;
CREATE POLICY due ON targets TO monitor_due USING (true) WITH CHECK (true);
CREATE POLICY due ON target_states TO monitor_due USING (true) WITH CHECK (true);
CREATE POLICY due ON checks TO monitor_due USING (true) WITH CHECK (true);
CREATE POLICY due ON check_hours TO monitor_due USING (true) WITH CHECK (true);

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('monitor-targets', '{component.created,component.updated,component.deleted}');

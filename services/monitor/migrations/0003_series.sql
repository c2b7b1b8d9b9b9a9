-- Series of response times, checks from several locations, certificates, and what flaps.

-- How long each phase took; null where there was none.
ALTER TABLE checks ADD COLUMN dns_ms int, ADD COLUMN connect_ms int, ADD COLUMN tls_ms int,
  ADD COLUMN first_byte_ms int;

-- Where a target is checked from; none is the location `default`. Null: more than half of them.
ALTER TABLE targets ADD COLUMN locations text[] NOT NULL DEFAULT '{}',
  ADD COLUMN quorum smallint CHECK (quorum > 0);

-- Each location counts for itself.
ALTER TABLE target_states ADD COLUMN location text NOT NULL DEFAULT 'default';
ALTER TABLE target_states DROP CONSTRAINT target_states_organization_id_component_id_key;
ALTER TABLE target_states DROP CONSTRAINT target_states_pkey;
ALTER TABLE target_states ADD PRIMARY KEY (organization_id, component_id, location);

-- What the locations say together: what is told. Written only when it changes.
CREATE TABLE target_verdicts (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  -- Version of the monitor.* events; never below one that was told before.
  version int NOT NULL DEFAULT 0,
  derived_status text NOT NULL DEFAULT 'operational'
    CHECK (derived_status IN ('operational', 'degraded_performance', 'major_outage')),
  -- Times of the last changes, newest last.
  changed_at timestamptz(3)[] NOT NULL DEFAULT '{}',
  -- Of the certificate last seen, and the least number of days at which its end was warned of.
  certificate_expires_at timestamptz(3),
  certificate_warned_days smallint,
  PRIMARY KEY (organization_id, component_id),
  FOREIGN KEY (organization_id, component_id)
    REFERENCES targets (organization_id, component_id) ON DELETE CASCADE
);
-- tenant target_verdicts
ALTER TABLE target_states NO FORCE ROW LEVEL SECURITY;
ALTER TABLE target_verdicts NO FORCE ROW LEVEL SECURITY;
INSERT INTO target_verdicts (organization_id, component_id, version, derived_status)
  SELECT organization_id, component_id, revision, derived_status FROM target_states;
ALTER TABLE target_verdicts FORCE ROW LEVEL SECURITY;
ALTER TABLE target_states FORCE ROW LEVEL SECURITY;

-- Hours got their figures with every check; their percentiles come when they are over.
ALTER TABLE check_hours ADD COLUMN location text NOT NULL DEFAULT 'default',
  ADD COLUMN p50_ms int, ADD COLUMN p95_ms int, ADD COLUMN p99_ms int;
ALTER TABLE check_hours DROP CONSTRAINT check_hours_pkey;
ALTER TABLE check_hours ADD PRIMARY KEY (organization_id, component_id, hour_at, location);

-- Five minutes of checks in one row. Response times are those of the successful ones.
CREATE TABLE check_rollups (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  at timestamptz NOT NULL,
  location text NOT NULL,
  checks int NOT NULL,
  successes int NOT NULL,
  mean_ms int,
  p50_ms int,
  p95_ms int,
  p99_ms int,
  PRIMARY KEY (organization_id, component_id, at, location)
) PARTITION BY RANGE (at);
-- tenant check_rollups

-- How far each shard is rolled up; who holds its lease moves it on.
CREATE TABLE rollup_progress (
  location text NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  rolled_until timestamptz NOT NULL,
  PRIMARY KEY (location, shard)
) WITH (fillfactor = 50);

-- Hours that got checks after they had been rolled up: Postgres was away, and a replica kept them.
CREATE TABLE rollup_late (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  location text NOT NULL,
  hour_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, component_id, location, hour_at)
);
-- tenant rollup_late

-- As before, for both tables that have a partition a day.
CREATE OR REPLACE FUNCTION create_check_partitions(days_ahead int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = monitor, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  today date := current_date;
  parent text;
  part text;
  made int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('monitor:check_partitions', 0));
  FOREACH parent IN ARRAY ARRAY['checks', 'check_rollups'] LOOP
    FOR day IN 0 .. least(days_ahead, 30) + 1 LOOP
      part := parent || '_' || to_char(today - 1 + day, 'YYYYMMDD');
      CONTINUE WHEN to_regclass('monitor.' || part) IS NOT NULL;
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        part, parent, today - 1 + day, today + day);
      -- Reached through the parent only; and if ever directly, as the parent's policy says.
      EXECUTE format('REVOKE ALL ON %I FROM monitor, monitor_due', part);
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
      EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
      EXECUTE format('CREATE POLICY tenant ON %I '
        'USING (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid) '
        'WITH CHECK (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid)', part);
      made := made + 1;
    END LOOP;
  END LOOP;
  RETURN made;
END $$;

CREATE OR REPLACE FUNCTION drop_check_partitions(kept_days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = monitor, pg_temp SET timezone = 'UTC'
SET lock_timeout = '5s' AS $$
DECLARE
  parent text;
  part text;
  dropped int := 0;
BEGIN
  IF kept_days < 2 THEN RAISE EXCEPTION 'at least two days of checks are kept'; END IF;
  FOREACH parent IN ARRAY ARRAY['checks', 'check_rollups'] LOOP
    FOR part IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ('monitor.' || parent)::regclass
        AND c.relname < parent || '_' || to_char(current_date - kept_days, 'YYYYMMDD')
    LOOP
      EXECUTE format('DROP TABLE %I', part);
      dropped := dropped + 1;
    END LOOP;
  END LOOP;
  RETURN dropped;
END $$;
SELECT create_check_partitions(3);

GRANT SELECT (locations, quorum) ON targets TO monitor_due;
GRANT SELECT (location) ON target_states TO monitor_due;
GRANT SELECT (organization_id, component_id, certificate_expires_at, certificate_warned_days)
  ON target_verdicts TO monitor_due;
GRANT SELECT, INSERT, UPDATE, DELETE ON check_rollups, rollup_late TO monitor_due;
GRANT SELECT, INSERT, UPDATE ON rollup_progress TO monitor_due;
CREATE POLICY due ON target_verdicts TO monitor_due USING (true) WITH CHECK (true);
CREATE POLICY due ON check_rollups TO monitor_due USING (true) WITH CHECK (true);
CREATE POLICY due ON rollup_late TO monitor_due USING (true) WITH CHECK (true);

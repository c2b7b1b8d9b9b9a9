-- Schema of the monitor: targets, their checks and derived statuses, and the leases of the
-- scheduler.

-- Scheduling ------------------------------------------------------------------

-- Leases of shards, copied from packages/schedule/migrations/shards.sql; a test compares both.
-- One row per replica, renewed every two seconds: the lease of all shards that it owns.
CREATE TABLE replica (
  id uuid PRIMARY KEY,
  location text NOT NULL,
  expires_at timestamptz NOT NULL
);

CREATE TABLE shard_lease (
  location text NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  -- Null while the shard is free. A graceful stop deletes the row of the replica, which releases
  -- its shards.
  owner uuid REFERENCES replica ON DELETE SET NULL,
  -- Increases with every claim.
  epoch bigint NOT NULL DEFAULT 0,
  PRIMARY KEY (location, shard)
);
GRANT SELECT ON shard_lease TO monitor_due;

-- Last heartbeat of any replica per location. Stale locations are excluded from the combined
-- status of a target.
CREATE TABLE location_heartbeats (
  location text PRIMARY KEY,
  last_heartbeat_at timestamptz NOT NULL,
  -- Start of the uninterrupted heartbeats. Only a location without a gap can decide that another
  -- one is stale: after an outage of Postgres, every location has a gap.
  continuous_since timestamptz NOT NULL DEFAULT now(),
  -- Whether the replica of the last heartbeat can send ICMP echo requests.
  can_ping boolean NOT NULL DEFAULT false
) WITH (fillfactor = 50);
GRANT SELECT ON location_heartbeats TO monitor_due;

-- Registrations of domains, shared by all organizations: a registry is queried once a day for each
-- domain. Its data is public.
CREATE TABLE domain_registrations (
  domain text PRIMARY KEY,
  state text NOT NULL,
  expires_at timestamptz,
  -- Time of the next query. A replica that queries sets it first, so that others do not.
  next_query_at timestamptz NOT NULL
);

-- Targets ---------------------------------------------------------------------

-- Projection of core's ENDPOINT components; an older `version` is ignored. A deleted component
-- remains as a tombstone, so that a late event cannot restore it.
CREATE TABLE targets (
  organization_id uuid NOT NULL,
  component_id uuid PRIMARY KEY,
  version int NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  name text NOT NULL,
  is_enabled boolean NOT NULL,
  -- Settings of the kind of check. `headers` of an HTTP check: [{name, value, sealedValue}],
  -- encrypted for the purpose `component-header`.
  probe jsonb NOT NULL,
  -- Null for a kind that waits for a push: the scheduler makes no checks of such a target.
  interval_seconds int CHECK (interval_seconds > 0),
  timeout_ms int CHECK (timeout_ms > 0),
  failure_threshold int NOT NULL CHECK (failure_threshold > 0),
  recovery_threshold int NOT NULL CHECK (recovery_threshold > 0),
  -- Locations that check the target; empty means the location `default`.
  locations text[] NOT NULL DEFAULT '{}',
  -- Locations that must agree; null means more than half of them.
  quorum smallint CHECK (quorum > 0),
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  deleted_at timestamptz,
  erased_at timestamptz,
  UNIQUE (organization_id, component_id)
);
-- tenant targets
CREATE INDEX ON targets (shard)
  WHERE is_enabled AND deleted_at IS NULL AND interval_seconds IS NOT NULL;
CREATE INDEX ON targets (deleted_at) WHERE deleted_at IS NOT NULL;
CREATE POLICY due ON targets TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (probe, erased_at), DELETE ON targets TO monitor_due;

-- State of a target at one location. Written only when a streak or the derived status changes:
-- checks of a healthy target write no row.
CREATE TABLE target_states (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  location text NOT NULL DEFAULT 'default',
  -- Incremented by every write; a writer states the revision that it read.
  revision int NOT NULL DEFAULT 0,
  derived_status text NOT NULL DEFAULT 'operational'
    CHECK (length(derived_status) <= 32),
  -- {failing, bad, degraded, good}: [consecutive results, time of the first].
  runs jsonb NOT NULL DEFAULT '{}',
  -- Expiry of the certificate last seen here; two locations may be served different certificates.
  certificate_expires_at timestamptz(3),
  certificate_subject text CHECK (length(certificate_subject) <= 255),
  certificate_issuer text CHECK (length(certificate_issuer) <= 255),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, component_id, location),
  FOREIGN KEY (organization_id, component_id)
    REFERENCES targets (organization_id, component_id) ON DELETE CASCADE
) WITH (fillfactor = 70);
-- tenant target_states
CREATE POLICY due ON target_states TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (revision, derived_status, runs, certificate_expires_at, certificate_subject,
  certificate_issuer, updated_at) ON target_states TO monitor_due;

-- Combined status of all locations of a target: the status that was published. Written on change
-- only.
CREATE TABLE target_verdicts (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  -- Version of the monitor.* events; it never falls below a published version.
  version int NOT NULL DEFAULT 0,
  derived_status text NOT NULL DEFAULT 'operational'
    CHECK (length(derived_status) <= 32),
  -- Times of the last changes, newest last.
  changed_at timestamptz(3)[] NOT NULL DEFAULT '{}',
  -- Expiry of the certificate of the last warning, and the lowest threshold in days that was
  -- reported.
  warned_expires_at timestamptz(3),
  certificate_warned_days smallint,
  -- Results of checks that began earlier do not count: far in the future during a maintenance (a
  -- date cannot be `infinity`), afterwards the end of the maintenance.
  suppressed_until timestamptz(3),
  PRIMARY KEY (organization_id, component_id),
  FOREIGN KEY (organization_id, component_id)
    REFERENCES targets (organization_id, component_id) ON DELETE CASCADE
);
-- tenant target_verdicts
CREATE POLICY due ON target_verdicts TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE (version, derived_status, changed_at, warned_expires_at,
  certificate_warned_days) ON target_verdicts TO monitor_due;

-- Heartbeats ------------------------------------------------------------------

-- State of a target of kind `heartbeat`; its settings are in `targets`.
CREATE TABLE heartbeats (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  -- SHA-256 of the token of the ping URL; null until the first token is issued.
  token_hash text UNIQUE,
  token_issued_at timestamptz(3),
  last_ping_at timestamptz(3),
  -- Number of received pings; its remainder is the position of the next one in `heartbeat_pings`.
  pings int NOT NULL DEFAULT 0,
  -- Next expected ping; null until the first ping.
  expected_at timestamptz(3),
  -- Open runs: [{run, startedMs, deadlineMs}].
  runs jsonb NOT NULL DEFAULT '[]',
  -- Time at which a missed ping or a run that takes too long is noticed; null while disabled.
  due_at timestamptz(3),
  PRIMARY KEY (organization_id, component_id),
  FOREIGN KEY (organization_id, component_id)
    REFERENCES targets (organization_id, component_id) ON DELETE CASCADE
) WITH (fillfactor = 70);
-- tenant heartbeats
CREATE INDEX ON heartbeats (due_at) WHERE due_at IS NOT NULL;
CREATE POLICY due ON heartbeats TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT (organization_id, component_id, shard, token_hash, last_ping_at, pings, expected_at,
    runs, due_at),
  UPDATE (last_ping_at, pings, expected_at, runs, due_at) ON heartbeats TO monitor_due;
CREATE POLICY lookup ON heartbeats FOR SELECT TO monitor_lookup USING (true);
GRANT SELECT (organization_id, component_id, token_hash) ON heartbeats TO monitor_lookup;

-- Last pings of a heartbeat; a new one replaces the oldest.
CREATE TABLE heartbeat_pings (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  position smallint NOT NULL CHECK (position >= 0),
  received_at timestamptz(3) NOT NULL,
  kind text NOT NULL CHECK (length(kind) <= 32),
  exit_code smallint,
  run text,
  duration_ms bigint,
  body text CHECK (octet_length(body) <= 30720),
  PRIMARY KEY (organization_id, component_id, position),
  FOREIGN KEY (organization_id, component_id)
    REFERENCES heartbeats (organization_id, component_id) ON DELETE CASCADE
);
-- tenant heartbeat_pings
CREATE POLICY due ON heartbeat_pings TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE ON heartbeat_pings TO monitor_due;

-- Status pages of vendors ------------------------------------------------------

-- Status pages of vendors, shared by all organizations: each is read at most once a minute. Their
-- content is public.
CREATE TABLE vendor_pages (
  url text PRIMARY KEY,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  -- Address of the last document with its validators; null while it is searched.
  source text,
  etag text,
  last_modified text,
  -- Last document, and its hash, by which a poll compares without reading it.
  document jsonb,
  document_hash text,
  -- Increases with every change of the document or of the error.
  version int NOT NULL DEFAULT 0,
  -- Consecutive failed polls; the error is set when they are no coincidence.
  failures int NOT NULL DEFAULT 0,
  error text,
  failed_since timestamptz(3),
  -- Time of the next poll. A replica that polls sets it first, so that others do not.
  next_poll_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX ON vendor_pages (next_poll_at);
GRANT SELECT, UPDATE, DELETE ON vendor_pages TO monitor_due;

-- Projection of the upstreams of core's SERVICE components; an older `version` is ignored. A
-- component without an upstream remains as a tombstone, so that a late event cannot restore it.
CREATE TABLE vendor_followers (
  organization_id uuid NOT NULL,
  component_id uuid PRIMARY KEY,
  version int NOT NULL,
  name text NOT NULL,
  is_enabled boolean NOT NULL,
  page_url text REFERENCES vendor_pages,
  -- Upstream as core stores it: {url, component}.
  upstream jsonb,
  -- Last published report and the version of its event.
  report jsonb,
  report_version int NOT NULL DEFAULT 0,
  -- Set while the report may differ from the page.
  due_at timestamptz,
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (organization_id, component_id),
  CHECK ((page_url IS NULL) = (upstream IS NULL))
);
-- tenant vendor_followers
CREATE INDEX ON vendor_followers (page_url);
CREATE INDEX ON vendor_followers (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ON vendor_followers (updated_at) WHERE page_url IS NULL;
CREATE POLICY due ON vendor_followers TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT (organization_id, component_id, is_enabled, page_url, due_at, updated_at),
  UPDATE (due_at), DELETE ON vendor_followers TO monitor_due;

-- Private locations -----------------------------------------------------------

-- Networks in which agents of an organization make checks. `private:` and the name is the location
-- of their results.
CREATE TABLE private_locations (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) <= 32),
  description text CHECK (length(description) <= 200),
  -- SHA-256 of the token with which agents enrol.
  enrolment_hash text NOT NULL UNIQUE,
  enrolment_expires_at timestamptz(3) NOT NULL,
  -- Last request of any agent; null until the first one is enrolled.
  last_contact_at timestamptz(3),
  -- Time at which the location was reported as stale; null after the next request of an agent.
  stale_since timestamptz(3),
  -- Version of the last event about the location.
  event_version int NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, name)
) WITH (fillfactor = 70);
-- tenant private_locations
CREATE POLICY lookup ON private_locations FOR SELECT TO monitor_lookup USING (true);
GRANT SELECT (organization_id, id, enrolment_hash, enrolment_expires_at)
  ON private_locations TO monitor_lookup;
CREATE POLICY due ON private_locations FOR SELECT TO monitor_due USING (true);
GRANT SELECT (organization_id, id, name, last_contact_at, stale_since)
  ON private_locations TO monitor_due;
CREATE INDEX ON private_locations (last_contact_at) WHERE stale_since IS NULL;

-- Programs that make the checks of a private location.
CREATE TABLE agents (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  location_id uuid NOT NULL,
  name text NOT NULL CHECK (length(name) <= 100),
  token_hash text NOT NULL UNIQUE,
  -- Raw X25519 key in base64url, to which secrets of checks are encrypted.
  public_key text NOT NULL CHECK (length(public_key) <= 64),
  version text NOT NULL CHECK (length(version) <= 32),
  can_ping boolean NOT NULL DEFAULT false,
  -- Age of the oldest result that the agent had not sent at its last request.
  lag_seconds int NOT NULL DEFAULT 0 CHECK (lag_seconds >= 0),
  last_contact_at timestamptz(3) NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, location_id)
    REFERENCES private_locations (organization_id, id) ON DELETE CASCADE
) WITH (fillfactor = 70);
-- tenant agents
CREATE INDEX ON agents (organization_id, location_id);
CREATE POLICY lookup ON agents FOR SELECT TO monitor_lookup USING (true);
GRANT SELECT (organization_id, id, token_hash) ON agents TO monitor_lookup;

-- Maintenances ----------------------------------------------------------------

-- Projection of core's active maintenances: checks during one are stored, and not published. An
-- older `version` is ignored, so a finished maintenance remains for a while without components.
CREATE TABLE maintenances (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  version int NOT NULL,
  component_ids uuid[] NOT NULL,
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- tenant maintenances

-- Checks ----------------------------------------------------------------------

-- Without a foreign key: it would lock the target's row for every check. The most frequent row of
-- the installation: the order of its columns avoids padding, and it has one index.
CREATE TABLE checks (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  -- Scheduled time; with `location` it identifies the check, on whichever replica it runs. A manual
  -- check has its start, or the millisecond before it where its start is a slot.
  slot_at timestamptz NOT NULL,
  -- Start; an interval later than the slot for the first check of a new target, and for checks that
  -- catch up after a pause.
  checked_at timestamptz NOT NULL,
  response_ms int,
  -- Duration of each phase; null for a phase that did not occur.
  dns_ms int,
  connect_ms int,
  tls_ms int,
  first_byte_ms int,
  status_code smallint,
  is_manual boolean NOT NULL,
  location text NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  error text,
  -- JSON in the format of condition-codec.ts, as text: jsonb takes half as much again.
  condition_results text NOT NULL,
  PRIMARY KEY (organization_id, component_id, slot_at, location)
) PARTITION BY RANGE (slot_at);
-- tenant checks
-- Few checks start later than a minute after their slot. Lists by start find the others by the key.
CREATE INDEX ON checks (organization_id, component_id, checked_at)
  WHERE checked_at - slot_at > interval '1 minute';
CREATE POLICY due ON checks TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT (organization_id, component_id, slot_at, location, is_manual, status, response_ms),
  INSERT, DELETE ON checks TO monitor_due;

-- Five minutes of checks in one row. Response times are those of successful checks.
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
CREATE POLICY due ON check_rollups TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON check_rollups TO monitor_due;

-- One hour of checks in one row, written when the hour is over; until then `check_rollups` has its
-- intervals.
CREATE TABLE check_hours (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  hour_at timestamptz NOT NULL,
  location text NOT NULL DEFAULT 'default',
  checks int NOT NULL,
  successes int NOT NULL,
  response_ms_sum bigint NOT NULL,
  p50_ms int,
  p95_ms int,
  p99_ms int,
  PRIMARY KEY (organization_id, component_id, hour_at, location)
);
-- tenant check_hours
CREATE INDEX ON check_hours (hour_at);
CREATE POLICY due ON check_hours TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON check_hours TO monitor_due;

-- Time up to which each shard is rolled up; the holder of the shard's lease advances it.
CREATE TABLE rollup_progress (
  location text NOT NULL,
  shard smallint NOT NULL CHECK (shard BETWEEN 0 AND 255),
  rolled_until timestamptz NOT NULL,
  PRIMARY KEY (location, shard)
) WITH (fillfactor = 50);
GRANT SELECT, INSERT, UPDATE ON rollup_progress TO monitor_due;

-- Hours that received checks after their roll-up: a replica buffered them while Postgres was away.
CREATE TABLE late_rollups (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  location text NOT NULL,
  hour_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, component_id, location, hour_at)
);
-- tenant late_rollups
CREATE POLICY due ON late_rollups TO monitor_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON late_rollups TO monitor_due;

-- Partitions ------------------------------------------------------------------

-- Partitions belong to the owner of their parent; both functions run with the owner's rights.
CREATE FUNCTION create_check_partitions(days_ahead int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = monitor, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  today date := current_date;
  parent text;
  part text;
  created int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('monitor:check_partitions', 0));
  FOREACH parent IN ARRAY ARRAY['checks', 'check_rollups'] LOOP
    FOR day IN 0 .. least(days_ahead, 30) + 1 LOOP
      part := parent || '_' || to_char(today - 1 + day, 'YYYYMMDD');
      CONTINUE WHEN to_regclass('monitor.' || part) IS NOT NULL;
      EXECUTE format('CREATE TABLE %I PARTITION OF %I FOR VALUES FROM (%L) TO (%L)',
        part, parent, today - 1 + day, today + day);
      -- Access goes through the parent; the policy binds direct access as well.
      EXECUTE format('REVOKE ALL ON %I FROM monitor, monitor_due', part);
      EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
      EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
      EXECUTE format('CREATE POLICY tenant ON %I '
        'USING (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid) '
        'WITH CHECK (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid)',
        part);
      created := created + 1;
    END LOOP;
  END LOOP;
  RETURN created;
END $$;

CREATE FUNCTION drop_check_partitions(retention_days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = monitor, pg_temp SET timezone = 'UTC'
SET lock_timeout = '5s' AS $$
DECLARE
  parent text;
  part text;
  dropped int := 0;
BEGIN
  IF retention_days < 2 THEN RAISE EXCEPTION 'at least two days of checks are retained'; END IF;
  FOREACH parent IN ARRAY ARRAY['checks', 'check_rollups'] LOOP
    FOR part IN
      SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
      WHERE i.inhparent = ('monitor.' || parent)::regclass
        AND c.relname < parent || '_' || to_char(current_date - retention_days, 'YYYYMMDD')
    LOOP
      EXECUTE format('DROP TABLE %I', part);
      dropped := dropped + 1;
    END LOOP;
  END LOOP;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION create_check_partitions, drop_check_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_check_partitions, drop_check_partitions TO monitor;
SELECT create_check_partitions(3);

-- Consumed events -------------------------------------------------------------

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('monitor-targets', '{component.created,component.updated,component.deleted}'),
  ('monitor-vendor-pages', '{component.created,component.updated,component.deleted}'),
  ('monitor-maintenances', '{maintenance.started,maintenance.updated,maintenance.completed}'),
  ('monitor-erasure', '{organization.deleted}'),
  ('monitor-erased-addresses', '{subscriber.erased,account.erased}');

-- Schema of integrations: connected monitoring platforms, metrics polled from them, and alerts
-- received.

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
GRANT SELECT ON shard_lease TO integrations_due;

-- Integrations ----------------------------------------------------------------

CREATE TABLE integrations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (length(type) <= 32),
  is_enabled boolean NOT NULL,
  -- Each secret in it is encrypted by itself, for the purpose `integration`.
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
CREATE POLICY due ON integrations TO integrations_due USING (true) WITH CHECK (true);
GRANT SELECT (organization_id, id, version, type, is_enabled, config), UPDATE (config)
  ON integrations TO integrations_due;

-- Batches of config-sync that took effect: a batch repeated after a crash changes nothing.
CREATE TABLE integration_batches (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant integration_batches

-- Projections of core ---------------------------------------------------------

-- Components of every type: a metric query may reference them. A removed component remains as a
-- tombstone, so that an older event cannot restore it.
CREATE TABLE components (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  version int NOT NULL,
  is_removed boolean NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant components

-- Maintenances, which suppress status changes of their components; an older `version` is ignored.
CREATE TABLE maintenances (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  version int NOT NULL,
  component_ids uuid[] NOT NULL,
  -- Null while the maintenance is active. Values polled before its end change no status.
  ended_at timestamptz(3),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- tenant maintenances
CREATE INDEX ON maintenances USING gin (component_ids);

-- Metrics ---------------------------------------------------------------------

-- Metric queries, and core's METRIC components under the component's id; an older `version` of
-- those is ignored. A deleted metric remains as a tombstone: a late event cannot restore it, and
-- its values are erased in batches.
CREATE TABLE metrics (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  kind text NOT NULL CHECK (length(kind) <= 32),
  -- Without a foreign key: a component may reference an integration that was removed since.
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
  -- Component that a query is shown with; null for the kind `component`.
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
CREATE POLICY due ON metrics TO integrations_due USING (true) WITH CHECK (true);
GRANT SELECT (organization_id, id, kind, integration_id, version, shard, name, query, aggregation,
    interval_seconds, warning_threshold, critical_threshold, is_enabled, deleted_at, erased_at),
  UPDATE (erased_at), DELETE ON metrics TO integrations_due;

-- Latest value and status of a metric, updated in place with every value: no index holds a column
-- that changes.
CREATE TABLE metric_states (
  organization_id uuid NOT NULL,
  metric_id uuid NOT NULL,
  polled_slot_at timestamptz,
  polled_at timestamptz(3),
  last_value double precision,
  last_value_at timestamptz(3),
  status text NOT NULL DEFAULT 'no_data'
    CHECK (length(status) <= 32),
  error text,
  -- Published status of a component, and the version of the monitor.* event that published it.
  derived_status text NOT NULL DEFAULT 'operational'
    CHECK (length(derived_status) <= 32),
  announced_version int NOT NULL DEFAULT 0,
  -- Times of the last changes, newest last.
  changed_at timestamptz(3)[] NOT NULL DEFAULT '{}',
  PRIMARY KEY (organization_id, metric_id),
  FOREIGN KEY (organization_id, metric_id) REFERENCES metrics (organization_id, id)
    ON DELETE CASCADE
) WITH (fillfactor = 60);
-- tenant metric_states
CREATE POLICY due ON metric_states TO integrations_due USING (true) WITH CHECK (true);
GRANT SELECT (organization_id, metric_id, polled_slot_at, last_value, last_value_at,
    derived_status),
  UPDATE (polled_slot_at, polled_at, last_value, last_value_at, status, error)
  ON metric_states TO integrations_due;

-- Without a foreign key: it would lock the metric's row for every value.
CREATE TABLE metric_values (
  organization_id uuid NOT NULL,
  metric_id uuid NOT NULL,
  -- Scheduled time; it identifies the poll, on whichever replica it runs.
  slot_at timestamptz NOT NULL,
  id uuid NOT NULL,
  polled_at timestamptz(3) NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  error text,
  value double precision,
  duration_ms int NOT NULL,
  PRIMARY KEY (organization_id, metric_id, slot_at)
) PARTITION BY RANGE (slot_at);
-- tenant metric_values
CREATE POLICY due ON metric_values TO integrations_due USING (true) WITH CHECK (true);
GRANT SELECT (organization_id, metric_id, slot_at, status, value), INSERT, DELETE ON metric_values
  TO integrations_due;

-- Totals of five minutes and of an hour, updated with every value.
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
CREATE POLICY due ON metric_rollups TO integrations_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON metric_rollups TO integrations_due;

-- Partitions ------------------------------------------------------------------

-- Partitions belong to the owner of their parent; both functions run with the owner's rights.
CREATE FUNCTION create_value_partitions(days_ahead int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = integrations, pg_temp SET timezone = 'UTC' AS $$
DECLARE
  today date := current_date;
  part text;
  created int := 0;
BEGIN
  PERFORM pg_advisory_xact_lock(hashtextextended('integrations:value_partitions', 0));
  FOR day IN 0 .. least(days_ahead, 30) + 1 LOOP
    part := 'metric_values_' || to_char(today - 1 + day, 'YYYYMMDD');
    CONTINUE WHEN to_regclass('integrations.' || part) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I PARTITION OF metric_values FOR VALUES FROM (%L) TO (%L)',
      part, today - 1 + day, today + day);
    -- Access goes through the parent; the policy binds direct access as well.
    EXECUTE format('REVOKE ALL ON %I FROM integrations, integrations_due', part);
    EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', part);
    EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', part);
    EXECUTE format('CREATE POLICY tenant ON %I '
      'USING (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid) '
      'WITH CHECK (organization_id = nullif(current_setting(''app.org'', true), '''')::uuid)',
      part);
    created := created + 1;
  END LOOP;
  RETURN created;
END $$;

CREATE FUNCTION drop_value_partitions(retention_days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = integrations, pg_temp SET timezone = 'UTC'
SET lock_timeout = '5s' AS $$
DECLARE
  part text;
  dropped int := 0;
BEGIN
  IF retention_days < 2 THEN RAISE EXCEPTION 'at least two days of values are retained'; END IF;
  FOR part IN
    SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
    WHERE i.inhparent = 'integrations.metric_values'::regclass
      AND c.relname < 'metric_values_' || to_char(current_date - retention_days, 'YYYYMMDD')
  LOOP
    EXECUTE format('DROP TABLE %I', part);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$;

REVOKE ALL ON FUNCTION create_value_partitions, drop_value_partitions FROM PUBLIC;
GRANT EXECUTE ON FUNCTION create_value_partitions, drop_value_partitions TO integrations;
SELECT create_value_partitions(3);

-- Alerts ----------------------------------------------------------------------

-- Endpoint of an integration that receives alerts: its token and the components that alerts map
-- to.
CREATE TABLE alert_intakes (
  organization_id uuid NOT NULL,
  integration_id uuid PRIMARY KEY,
  token_digest text NOT NULL,
  -- Previous token, accepted for a while after a rotation.
  previous_token_digest text,
  previous_token_until timestamptz(3),
  publish_after_minutes int CHECK (publish_after_minutes > 0),
  title_template text NOT NULL,
  message_template text NOT NULL,
  auto_resolve boolean NOT NULL,
  -- json, not jsonb: json preserves the order of labels, so that an unchanged body compares as
  -- equal.
  routes json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, integration_id),
  FOREIGN KEY (organization_id, integration_id) REFERENCES integrations (organization_id, id)
    ON DELETE CASCADE
);
-- tenant alert_intakes
-- A webhook request names the integration alone.
CREATE POLICY lookup ON alert_intakes FOR SELECT TO integrations_lookup USING (true);
GRANT SELECT (integration_id, organization_id) ON alert_intakes TO integrations_lookup;

-- Alert groups by a digest of their key: one group is one problem and makes one incident draft. An
-- alert without a group is a group of its own.
CREATE TABLE alert_groups (
  organization_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  group_key text NOT NULL,
  -- Stays the same while any alert of the group fires.
  id uuid NOT NULL,
  -- Version of the event about the group that was published last.
  version int NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  impact text NOT NULL CHECK (length(impact) <= 32),
  component_ids uuid[] NOT NULL,
  starts_at timestamptz NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, integration_id, group_key),
  FOREIGN KEY (organization_id, integration_id)
    REFERENCES alert_intakes (organization_id, integration_id) ON DELETE CASCADE
);
-- tenant alert_groups
CREATE INDEX ON alert_groups (updated_at) WHERE status = 'resolved';
CREATE POLICY due ON alert_groups TO integrations_due USING (true);
GRANT SELECT (organization_id, integration_id, group_key, status, updated_at), DELETE
  ON alert_groups TO integrations_due;

-- Alerts of a group by fingerprint: a repeated alert changes nothing.
CREATE TABLE alert_signals (
  organization_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  group_key text NOT NULL,
  fingerprint text NOT NULL,
  status text NOT NULL CHECK (length(status) <= 32),
  starts_at timestamptz NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, integration_id, group_key, fingerprint),
  FOREIGN KEY (organization_id, integration_id, group_key)
    REFERENCES alert_groups (organization_id, integration_id, group_key) ON DELETE CASCADE
);
-- tenant alert_signals
CREATE INDEX ON alert_signals (updated_at) WHERE status = 'resolved';
-- Firing alerts that are no longer repeated expire by their last update.
CREATE INDEX ON alert_signals (updated_at) WHERE status = 'firing';
CREATE POLICY due ON alert_signals TO integrations_due USING (true);
GRANT SELECT (organization_id, integration_id, group_key, fingerprint, status, updated_at), DELETE
  ON alert_signals TO integrations_due;

-- Consumed events -------------------------------------------------------------

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('integrations-components', '{component.created,component.updated,component.deleted}'),
  ('integrations-maintenances', '{maintenance.started,maintenance.updated,maintenance.completed}'),
  ('integrations-erasure', '{organization.deleted}'),
  ('integrations-erased-addresses', '{subscriber.erased,account.erased}');

-- On-call schedules, the alerts that go by them, and core's copy of the members.

-- By the facts of the gateway; a membership that ended stays, so that an older fact cannot revive it.
CREATE TABLE members (
  organization_id uuid NOT NULL,
  -- Of the membership: who comes back has another one.
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  is_removed boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant members
CREATE INDEX ON members (organization_id, user_id) WHERE NOT is_removed;

CREATE TABLE oncall_schedules (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  description text,
  timezone text NOT NULL,
  component_ids uuid[] NOT NULL,
  is_enabled boolean NOT NULL,
  -- json, not jsonb: what is sent back unchanged compares as equal.
  layers json NOT NULL,
  escalation json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant oncall_schedules
CREATE INDEX ON oncall_schedules (organization_id, name, id);
CREATE INDEX ON oncall_schedules (organization_id, created_at, id);
CREATE INDEX ON oncall_schedules (organization_id, updated_at, id);

CREATE TABLE oncall_overrides (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  schedule_id uuid NOT NULL,
  user_id uuid NOT NULL,
  starts_at timestamptz(3) NOT NULL,
  ends_at timestamptz(3) NOT NULL CHECK (ends_at > starts_at),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, schedule_id) REFERENCES oncall_schedules (organization_id, id)
    ON DELETE CASCADE
);
-- tenant oncall_overrides
CREATE INDEX ON oncall_overrides (organization_id, schedule_id, ends_at);

-- Alerts outlive their schedule, as the record of who was told.
CREATE TABLE oncall_alerts (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL,
  schedule_id uuid NOT NULL,
  schedule_name text NOT NULL,
  status text NOT NULL CHECK (status IN ('triggered', 'acknowledged', 'resolved')),
  title text NOT NULL,
  severity text NOT NULL CHECK (severity IN ('critical', 'warning')),
  source text NOT NULL CHECK (source IN ('monitor', 'incident')),
  component_id uuid,
  incident_id uuid,
  dedup_key text NOT NULL,
  -- For the messages: what is known of the cause, and since when it is so.
  reason text,
  url text,
  since timestamptz(3) NOT NULL,
  assigned_user_ids uuid[] NOT NULL,
  escalation_level int NOT NULL,
  -- Index of the step to be taken at due_at; null: no further one.
  next_step int,
  due_at timestamptz(3) CHECK (due_at IS NULL OR status = 'triggered' AND next_step IS NOT NULL),
  count int NOT NULL,
  no_responder boolean NOT NULL,
  triggered_at timestamptz(3) NOT NULL,
  acknowledged_at timestamptz(3),
  acknowledged_by uuid,
  resolved_at timestamptz(3) CHECK ((resolved_at IS NOT NULL) = (status = 'resolved')),
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant oncall_alerts
CREATE UNIQUE INDEX oncall_alerts_open ON oncall_alerts (organization_id, dedup_key, schedule_id)
  WHERE status <> 'resolved';
CREATE INDEX oncall_alerts_raised ON oncall_alerts (organization_id, dedup_key, schedule_id);
CREATE INDEX oncall_alerts_due ON oncall_alerts (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX ON oncall_alerts (organization_id, triggered_at, id);
CREATE INDEX ON oncall_alerts (organization_id, schedule_id, triggered_at, id);
CREATE INDEX ON oncall_alerts (organization_id, component_id, triggered_at, id);
CREATE INDEX ON oncall_alerts (organization_id, status, triggered_at, id);
CREATE INDEX oncall_alerts_by_severity ON oncall_alerts
  (organization_id, array_position('{critical,warning}'::text[], severity), id);
CREATE INDEX oncall_alerts_by_status ON oncall_alerts
  (organization_id, array_position('{triggered,acknowledged,resolved}'::text[], status), id);

-- Escalation looks at the alerts of all organizations; each step is then taken in its own.
GRANT SELECT (organization_id, id, due_at) ON oncall_alerts TO core_due;
CREATE POLICY due ON oncall_alerts FOR SELECT TO core_due USING (true);

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('core-members', '{member.added,member.updated,member.removed}'),
  ('core-oncall', '{monitor.down,monitor.recovered,incident.created,incident.updated,incident.resolved,incident.reopened,incident.deleted}');

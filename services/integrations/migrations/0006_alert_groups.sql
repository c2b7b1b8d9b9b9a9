-- A group of alerts is one problem: one draft, whose public text comes from templates of the intake.

ALTER TABLE alert_intakes
  ADD COLUMN title_template text NOT NULL DEFAULT 'Problem with {{components}}',
  ADD COLUMN message_template text NOT NULL DEFAULT '',
  ADD COLUMN auto_resolve boolean NOT NULL DEFAULT false;
ALTER TABLE alert_intakes
  ALTER COLUMN title_template DROP DEFAULT,
  ALTER COLUMN message_template DROP DEFAULT,
  ALTER COLUMN auto_resolve DROP DEFAULT;

-- One row a group, by a digest of its key; an alert without a group is a group of its own.
CREATE TABLE alert_groups (
  organization_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  group_key text NOT NULL,
  -- One for as long as any of its alerts fires.
  id uuid NOT NULL,
  -- Of the event about it that was published last.
  version int NOT NULL,
  status text NOT NULL CHECK (status IN ('firing', 'resolved')),
  impact text NOT NULL CHECK (impact IN ('minor', 'major', 'critical')),
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

-- One row an alert of a group, by its fingerprint: posted again it is no news.
DROP TABLE alert_signals;
CREATE TABLE alert_signals (
  organization_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  group_key text NOT NULL,
  fingerprint text NOT NULL,
  status text NOT NULL CHECK (status IN ('firing', 'resolved')),
  starts_at timestamptz NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, integration_id, group_key, fingerprint),
  FOREIGN KEY (organization_id, integration_id, group_key)
    REFERENCES alert_groups (organization_id, integration_id, group_key) ON DELETE CASCADE
);
-- tenant alert_signals
CREATE INDEX ON alert_signals (updated_at) WHERE status = 'resolved';
CREATE INDEX ON alert_signals (updated_at) WHERE status = 'firing';
CREATE POLICY due ON alert_signals TO integrations_due USING (true);
GRANT SELECT (organization_id, integration_id, group_key, fingerprint, status, updated_at), DELETE
  ON alert_signals TO integrations_due;

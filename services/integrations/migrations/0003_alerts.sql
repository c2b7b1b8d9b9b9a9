-- Alerts that come in: by which token, about which components, and which of them are known.

CREATE TABLE alert_intakes (
  organization_id uuid NOT NULL,
  integration_id uuid PRIMARY KEY,
  token_digest text NOT NULL,
  -- Of the token before it, which is taken for a while.
  previous_token_digest text,
  previous_token_until timestamptz(3),
  publish_after_minutes int CHECK (publish_after_minutes > 0),
  -- json, not jsonb: it keeps the order of labels, so that what is sent back unchanged is equal.
  routes json NOT NULL,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, integration_id),
  FOREIGN KEY (organization_id, integration_id) REFERENCES integrations (organization_id, id)
    ON DELETE CASCADE
);
-- tenant alert_intakes
-- A hook names the integration alone.
CREATE POLICY lookup ON alert_intakes FOR SELECT TO integrations_lookup USING (true);
GRANT SELECT (integration_id, organization_id) ON alert_intakes TO integrations_lookup;

-- One row an alert, by its fingerprint: told again it is no news.
CREATE TABLE alert_signals (
  organization_id uuid NOT NULL,
  integration_id uuid NOT NULL,
  fingerprint text NOT NULL,
  -- One for as long as it fires.
  id uuid NOT NULL,
  status text NOT NULL CHECK (status IN ('firing', 'resolved')),
  starts_at timestamptz NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, integration_id, fingerprint),
  FOREIGN KEY (organization_id, integration_id)
    REFERENCES alert_intakes (organization_id, integration_id) ON DELETE CASCADE
);
-- tenant alert_signals
CREATE INDEX ON alert_signals (updated_at) WHERE status = 'resolved';

CREATE POLICY due ON alert_signals TO integrations_due USING (true);
GRANT SELECT (organization_id, integration_id, fingerprint, status, updated_at), DELETE
  ON alert_signals TO integrations_due;

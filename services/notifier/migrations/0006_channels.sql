-- Ways out that an organization owns: what goes to them, and what goes through them.

CREATE TABLE notification_channels (
  id uuid NOT NULL PRIMARY KEY,
  organization_id uuid NOT NULL,
  name text NOT NULL,
  type text NOT NULL CHECK (type IN ('email', 'sms', 'slack', 'discord', 'teams', 'webhook')),
  -- Each secret in it sealed by itself: `channel`, bound to the channel's id.
  config jsonb NOT NULL,
  events text[] NOT NULL,
  component_ids uuid[] NOT NULL,
  impacts text[] NOT NULL,
  is_enabled boolean NOT NULL,
  message_template text,
  -- Why it was switched off by what its far end said; null while it was not.
  disabled_reason text,
  last_delivery_at timestamptz(3),
  last_delivery_status text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
CREATE INDEX notification_channels_name ON notification_channels (organization_id, name, id);
CREATE INDEX notification_channels_created ON notification_channels (organization_id, created_at, id);
CREATE INDEX notification_channels_updated ON notification_channels (organization_id, updated_at, id);

-- The channel of a kind that carries the subscribers' messages: the oldest enabled one.
CREATE TABLE carriers (
  organization_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('email', 'sms')),
  channel_id uuid NOT NULL,
  PRIMARY KEY (organization_id, type),
  FOREIGN KEY (organization_id, channel_id) REFERENCES notification_channels (organization_id, id)
    ON DELETE CASCADE
);

-- A chat or webhook channel is one destination, an e-mail or SMS channel one for each recipient.
-- `disabled`: the channel is switched off.
ALTER TABLE destinations DROP CONSTRAINT destinations_kind_check;
ALTER TABLE destinations DROP CONSTRAINT destinations_type_check;
ALTER TABLE destinations DROP CONSTRAINT destinations_state_check;
ALTER TABLE destinations
  ADD COLUMN channel_id uuid,
  ADD CHECK (kind IN ('subscriber', 'user', 'channel')),
  ADD CHECK (type IN ('email', 'sms', 'slack', 'discord', 'teams', 'webhook')),
  ADD CHECK (state IN ('unconfirmed', 'active', 'disabled', 'unsubscribed', 'quarantined', 'deleted')),
  ADD CHECK ((kind = 'channel') = (channel_id IS NOT NULL));
CREATE UNIQUE INDEX destinations_channels ON destinations (organization_id, channel_id, address)
  WHERE kind = 'channel' AND state <> 'deleted';
CREATE INDEX destinations_address ON destinations (organization_id, type, address);

ALTER TABLE audiences ADD COLUMN impacts text[] NOT NULL DEFAULT '{}';
-- Parent first, root last: events about monitors name a component only.
ALTER TABLE components ADD COLUMN ancestor_ids uuid[] NOT NULL DEFAULT '{}';

-- What the provider knows a message by, and how far it has come.
CREATE TABLE sms_messages (
  organization_id uuid NOT NULL,
  message_sid text NOT NULL,
  channel_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  event_id uuid NOT NULL,
  provider_status text NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, message_sid)
);
CREATE INDEX sms_messages_age ON sms_messages (created_at);

-- Numbers that sent STOP to a channel.
CREATE TABLE sms_opt_outs (
  organization_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  phone text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, channel_id, phone)
);

-- Replies that were taken, by the provider's id.
CREATE TABLE hook_receipts (
  organization_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  key text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, channel_id, key)
);
CREATE INDEX hook_receipts_age ON hook_receipts (at);

-- Failures that end an address only when they come again: full mailboxes, phones out of reach.
CREATE TABLE soft_failures (
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  cause text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, destination_id, cause)
);
CREATE INDEX soft_failures_age ON soft_failures (at);

-- tenant notification_channels
-- tenant carriers
-- tenant sms_messages
-- tenant sms_opt_outs
-- tenant hook_receipts
-- tenant soft_failures

GRANT SELECT (kind, channel_id) ON destinations TO notifier_due;
CREATE POLICY due ON carriers FOR SELECT TO notifier_due USING (true);
GRANT SELECT ON carriers TO notifier_due;
CREATE POLICY due ON sms_messages TO notifier_due USING (true);
GRANT SELECT (created_at), DELETE ON sms_messages TO notifier_due;
CREATE POLICY due ON hook_receipts TO notifier_due USING (true);
GRANT SELECT (at), DELETE ON hook_receipts TO notifier_due;
CREATE POLICY due ON soft_failures TO notifier_due USING (true);
GRANT SELECT (at), DELETE ON soft_failures TO notifier_due;
-- A hook names a channel and no organization.
CREATE POLICY lookup ON notification_channels FOR SELECT TO notifier_lookup USING (true);
GRANT SELECT (id, organization_id) ON notification_channels TO notifier_lookup;

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-monitors', '{monitor.down,monitor.degraded,monitor.recovered}');

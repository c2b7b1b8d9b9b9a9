-- Schema of the notifier: destinations and their subscriptions, deliveries, and notification
-- channels.

-- UUIDv7: gen_random_uuid() with the time in its first 48 bits and the version raised from 4 to 7.
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
    FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Lowest UUIDv7 of the time.
CREATE FUNCTION first_id_at(at timestamptz) RETURNS uuid LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
  SELECT rpad(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0'), 32, '0')::uuid
$$;

-- Projections of other services -----------------------------------------------

-- `version` is the owner's; an event with an older version is ignored. Removed records remain as
-- tombstones, so that an older event cannot restore them.
CREATE TABLE organizations (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  -- Null: the limits of the installation.
  notification_limits jsonb,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant organizations
CREATE POLICY due ON organizations FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, id, name, notification_limits) ON organizations TO notifier_due;

CREATE TABLE components (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  -- Parent first, root last: events about monitors name a component only.
  ancestor_ids uuid[] NOT NULL DEFAULT '{}',
  has_dependencies boolean NOT NULL DEFAULT false,
  is_muted boolean NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant components
CREATE POLICY due ON components FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, id, is_muted) ON components TO notifier_due;

CREATE TABLE members (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  role text NOT NULL,
  is_removed boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant members

-- Status pages: language, time zone and look of the messages to their subscribers.
CREATE TABLE pages (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  locale text NOT NULL,
  timezone text NOT NULL,
  theme jsonb,
  logo_url text,
  logo_dark_url text,
  is_deleted boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant pages
CREATE POLICY due ON pages FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, id, name, locale, timezone, theme, logo_url, logo_dark_url,
    is_deleted)
  ON pages TO notifier_due;

-- Notification channels -------------------------------------------------------

-- Channels of an organization. `version` is that of the events about a channel: other services
-- have projections, in which an older version never replaces a newer one.
CREATE TABLE notification_channels (
  id uuid NOT NULL PRIMARY KEY,
  organization_id uuid NOT NULL,
  version int NOT NULL DEFAULT 1,
  name text NOT NULL,
  type text NOT NULL CHECK (length(type) <= 20),
  -- Each secret in it is encrypted by itself, for the purpose `channel`, bound to the channel's
  -- id.
  config jsonb NOT NULL,
  events text[] NOT NULL,
  component_ids uuid[] NOT NULL,
  impacts text[] NOT NULL,
  is_enabled boolean NOT NULL,
  message_template text,
  -- Error of the provider that disabled the channel; null unless it was disabled by one.
  disabled_reason text,
  -- True when an apply of config-sync created the channel.
  managed_by_config boolean NOT NULL DEFAULT false,
  last_delivery_at timestamptz(3),
  last_delivery_status text,
  created_at timestamptz(3) NOT NULL,
  updated_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant notification_channels
CREATE INDEX notification_channels_name ON notification_channels (organization_id, name, id);
CREATE INDEX notification_channels_created ON notification_channels
  (organization_id, created_at, id);
CREATE INDEX notification_channels_updated ON notification_channels
  (organization_id, updated_at, id);
CREATE POLICY due ON notification_channels TO notifier_due USING (true);
GRANT SELECT (organization_id, id, name, type, config, message_template),
  UPDATE (config, last_delivery_at, last_delivery_status) ON notification_channels TO notifier_due;
-- A webhook request names a channel and no organization.
CREATE POLICY lookup ON notification_channels FOR SELECT TO notifier_lookup USING (true);
GRANT SELECT (id, organization_id) ON notification_channels TO notifier_lookup;

-- Batches of config-sync that took effect: a batch repeated after a crash changes nothing.
CREATE TABLE channel_batches (
  organization_id uuid NOT NULL,
  id uuid PRIMARY KEY,
  created_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id)
);
-- tenant channel_batches

-- Channel of a type that sends the messages to subscribers: the oldest enabled one.
CREATE TABLE default_channels (
  organization_id uuid NOT NULL,
  type text NOT NULL CHECK (length(type) <= 20),
  channel_id uuid NOT NULL,
  PRIMARY KEY (organization_id, type),
  FOREIGN KEY (organization_id, channel_id) REFERENCES notification_channels (organization_id, id)
    ON DELETE CASCADE
);
-- tenant default_channels
CREATE POLICY due ON default_channels FOR SELECT TO notifier_due USING (true);
GRANT SELECT ON default_channels TO notifier_due;

-- Destinations ----------------------------------------------------------------

-- Subscribers, users with an account or an invitation, and channels. A chat or webhook channel is
-- one destination, an e-mail or SMS channel is one destination per recipient.
CREATE TABLE destinations (
  id uuid NOT NULL PRIMARY KEY,
  organization_id uuid NOT NULL,
  kind text NOT NULL DEFAULT 'subscriber' CHECK (length(kind) <= 32),
  subscriber_id uuid,
  user_id uuid,
  channel_id uuid,
  type text NOT NULL CHECK (length(type) <= 20),
  address text NOT NULL,
  -- Page that a subscriber subscribed to.
  status_page_id uuid,
  -- Encrypted for the purposes `webhook` and `mail-token`, both bound to the subscriber's id.
  webhook_secret text,
  manage_token text,
  -- Signs webhooks together with the present secret until the time below.
  previous_webhook_secret text,
  previous_webhook_secret_until timestamptz(3),
  -- `disabled`: the channel is disabled.
  state text NOT NULL CHECK (state IN
    ('unconfirmed', 'active', 'disabled', 'unsubscribed', 'quarantined', 'deleted')),
  state_reason text,
  blocked_until timestamptz(3),
  fail_streak int NOT NULL DEFAULT 0,
  first_fail_at timestamptz(3),
  -- Time at which the address or the state changed: earlier successes do not count. The last
  -- success is read from the deliveries when an attempt fails; an update per success took 6 of the
  -- 121 page accesses of a webhook.
  history_since timestamptz(3) NOT NULL DEFAULT now(),
  -- Version of the subscriber in core's events, and of the destination in the notifier's own
  -- events.
  version int NOT NULL,
  own_version int NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (organization_id, id),
  UNIQUE (organization_id, subscriber_id),
  CHECK ((kind = 'subscriber') = (subscriber_id IS NOT NULL)),
  CHECK ((kind = 'channel') = (channel_id IS NOT NULL))
);
-- tenant destinations
CREATE UNIQUE INDEX destinations_users ON destinations (organization_id, address)
  WHERE kind = 'user';
CREATE UNIQUE INDEX destinations_channels ON destinations (organization_id, channel_id, address)
  WHERE kind = 'channel' AND state <> 'deleted';
CREATE INDEX destinations_address ON destinations (organization_id, type, address);
CREATE POLICY due ON destinations FOR SELECT TO notifier_due USING (true);
CREATE POLICY due_update ON destinations FOR UPDATE TO notifier_due USING (true) WITH CHECK (true);
GRANT SELECT (id, organization_id, kind, subscriber_id, user_id, channel_id, type, address,
    status_page_id, webhook_secret, manage_token, previous_webhook_secret,
    previous_webhook_secret_until, state, state_reason, blocked_until, fail_streak, first_fail_at,
    history_since),
  UPDATE (webhook_secret, manage_token, previous_webhook_secret, blocked_until, fail_streak,
    first_fail_at, updated_at) ON destinations TO notifier_due;

-- Events, components and impacts that a destination is notified of.
CREATE TABLE audiences (
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  events text[] NOT NULL,
  component_ids uuid[] NOT NULL,
  impacts text[] NOT NULL DEFAULT '{}',
  -- Incident whose events alone a subscriber is notified of.
  incident_id uuid,
  PRIMARY KEY (organization_id, destination_id),
  FOREIGN KEY (organization_id, destination_id) REFERENCES destinations (organization_id, id)
    ON DELETE CASCADE
);
-- tenant audiences

-- Subscribers that were notified and not yet reported to core: one row per batch of recorded
-- results, so that a delivery neither writes a row and an index entry here nor deletes them. A
-- subscriber may be in several rows.
CREATE TABLE subscriber_notifications (
  organization_id uuid NOT NULL,
  id uuid NOT NULL DEFAULT new_id(),
  subscriber_ids uuid[] NOT NULL,
  notified_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant subscriber_notifications
CREATE POLICY due ON subscriber_notifications TO notifier_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON subscriber_notifications TO notifier_due;

-- Destinations that were quarantined or disabled, at most one row a day each; the organization is
-- notified of many with one message.
CREATE TABLE destination_suppressions (
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  at timestamptz(3) NOT NULL,
  notified_at timestamptz(3),
  PRIMARY KEY (organization_id, destination_id, day)
);
-- tenant destination_suppressions
CREATE INDEX destination_suppressions_pending ON destination_suppressions (organization_id, at)
  WHERE notified_at IS NULL;
CREATE INDEX destination_suppressions_notified
  ON destination_suppressions (organization_id, notified_at) WHERE notified_at IS NOT NULL;
CREATE INDEX destination_suppressions_age ON destination_suppressions (at);
CREATE POLICY due ON destination_suppressions TO notifier_due USING (true);
GRANT SELECT (organization_id, at, notified_at), DELETE ON destination_suppressions TO notifier_due;

-- Failures that suppress an address only when they repeat: full mailboxes, phones out of reach.
CREATE TABLE soft_bounces (
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  cause text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, destination_id, cause)
);
-- tenant soft_bounces
CREATE INDEX soft_bounces_age ON soft_bounces (at);
CREATE POLICY due ON soft_bounces TO notifier_due USING (true);
GRANT SELECT (at), DELETE ON soft_bounces TO notifier_due;

-- Fan-outs and deliveries -----------------------------------------------------

-- Event to deliver, stored once for all of its deliveries.
CREATE TABLE fanouts (
  organization_id uuid NOT NULL,
  event_id uuid NOT NULL,
  kind text NOT NULL,
  aggregate_id uuid NOT NULL,
  aggregate_version int NOT NULL,
  payload jsonb NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  -- Last destination of a fan-out that is too large for one transaction.
  after_destination uuid,
  -- W3C trace context of the handler that stored the event.
  traceparent text CHECK (length(traceparent) <= 55),
  PRIMARY KEY (organization_id, event_id)
);
-- tenant fanouts
CREATE INDEX fanouts_aggregate ON fanouts (organization_id, aggregate_id, aggregate_version);
CREATE INDEX fanouts_age ON fanouts (occurred_at);
-- Whether events of the kind have an encrypted field, which key rotation encrypts again.
CREATE FUNCTION has_encrypted_field(kind text) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE
AS $$
  SELECT kind IN ('account.invited', 'account.reset-requested', 'account.verification-requested',
    'subscriber.confirmation-requested')
$$;
CREATE INDEX fanouts_encrypted ON fanouts (event_id) WHERE has_encrypted_field(kind);
CREATE POLICY due ON fanouts TO notifier_due USING (true);
GRANT SELECT (organization_id, event_id, kind, aggregate_id, aggregate_version, payload,
    occurred_at, traceparent),
  UPDATE (payload), DELETE ON fanouts TO notifier_due;

-- Without foreign keys: each row would cost a query and a lock in the other table, half of the
-- cost of a fan-out. The statement that creates deliveries reads both tables, destinations are
-- never deleted, an event is deleted after its last delivery, and attempts are deleted with their
-- delivery (`deleteFinishedDeliveries`).
CREATE TABLE deliveries (
  id uuid NOT NULL PRIMARY KEY DEFAULT new_id(),
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  event_id uuid NOT NULL,
  kind text NOT NULL,
  -- Worker that sends the delivery. A claim reads it from the row: 100,000 waiting mails neither
  -- hide nor delay a webhook.
  worker text NOT NULL CHECK (length(worker) <= 20),
  -- Deliveries of a destination with the same key are sent in this order.
  ordering_key uuid NOT NULL,
  ordering_seq int NOT NULL,
  priority int NOT NULL,
  state text NOT NULL CHECK (state IN
    ('pending', 'sending', 'delivered', 'superseded', 'exhausted', 'suppressed', 'cancelled')),
  reason text,
  attempts int NOT NULL DEFAULT 0,
  deferrals int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
  lease_until timestamptz(3),
  lease_owner uuid,
  -- Events of further deliveries that this one includes as a digest.
  covered_event_ids uuid[] NOT NULL DEFAULT '{}',
  superseded_by uuid,
  -- Exact bytes of a webhook: created at the first attempt, signed again at each.
  body bytea,
  -- Successful attempt; the others are rows of delivery_attempts. A row with its index entry per
  -- success took 8 of the 121 page accesses of a webhook.
  delivered_attempt int,
  delivered_started_at timestamptz(3),
  delivered_duration_ms int,
  delivered_status_code int,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, event_id, destination_id)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
-- tenant deliveries
-- Claims: due deliveries, urgent ones first, and the few without a rate limit, found while 100,000
-- others wait for one.
CREATE INDEX deliveries_due ON deliveries (worker, organization_id, next_attempt_at)
  WHERE state = 'pending';
CREATE INDEX deliveries_priority ON deliveries (worker, organization_id, priority, next_attempt_at)
  WHERE state = 'pending';
CREATE INDEX deliveries_unlimited ON deliveries (worker, organization_id, next_attempt_at)
  WHERE state = 'pending' AND priority < 10;
CREATE INDEX deliveries_order ON deliveries (destination_id, ordering_key, ordering_seq)
  WHERE state = 'pending';
-- Oldest pending delivery of a destination, whatever the length of its queue.
CREATE INDEX deliveries_queue ON deliveries (destination_id, event_id) WHERE state = 'pending';
-- Also read as a whole by the search for expired leases: at most the batches of all workers.
CREATE INDEX deliveries_sending ON deliveries (destination_id) WHERE state = 'sending';
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE state = 'pending';
CREATE INDEX deliveries_exhausted ON deliveries (organization_id, created_at)
  WHERE state = 'exhausted';
CREATE INDEX deliveries_log ON deliveries (organization_id, created_at DESC, id DESC);
CREATE INDEX deliveries_destination ON deliveries (destination_id, created_at DESC);
-- Claims, expiry and retention work across organizations.
CREATE POLICY due ON deliveries TO notifier_due USING (true);
GRANT SELECT (ctid, id, organization_id, destination_id, event_id, kind, worker, ordering_key,
    ordering_seq, priority, state, reason, attempts, deferrals, next_attempt_at, lease_until,
    lease_owner, covered_event_ids, body, delivered_attempt,
    created_at, finished_at, expires_at),
  UPDATE (ordering_key, state, reason, attempts, deferrals, next_attempt_at, lease_until,
    lease_owner, body, delivered_attempt, delivered_started_at, delivered_duration_ms,
    delivered_status_code, updated_at, finished_at),
  DELETE ON deliveries TO notifier_due;

-- Refreshes the planner's statistics after a fan-out: with those of a small table, the next
-- statement scans the table once for each of its thousands of new rows, 8 s for 5,000 rows instead
-- of 20 ms. A running vacuum holds the lock that ANALYZE needs, and refreshes the statistics
-- itself. A sample of 3,000 rows costs a tenth of the default one.
CREATE FUNCTION refresh_statistics() RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = notifier, pg_temp
SET default_statistics_target = 10 AS $$
BEGIN
  ANALYZE (SKIP_LOCKED) deliveries;
  ANALYZE (SKIP_LOCKED) destinations;
END $$;
REVOKE ALL ON FUNCTION refresh_statistics FROM PUBLIC;
GRANT EXECUTE ON FUNCTION refresh_statistics TO notifier;

-- Attempts that did not deliver; the row of a delivery has the one that did.
CREATE TABLE delivery_attempts (
  organization_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  number int NOT NULL,
  started_at timestamptz(3) NOT NULL,
  duration_ms int NOT NULL,
  outcome text NOT NULL,
  status_code int,
  error text,
  PRIMARY KEY (organization_id, delivery_id, number)
);
-- tenant delivery_attempts
CREATE POLICY due ON delivery_attempts FOR INSERT TO notifier_due WITH CHECK (true);
CREATE POLICY due_write ON delivery_attempts TO notifier_due USING (true) WITH CHECK (true);
GRANT SELECT, INSERT, UPDATE, DELETE ON delivery_attempts TO notifier_due;

-- Components that change too often: one message announces it, and one the last change when it has
-- lasted.
CREATE TABLE flaps (
  organization_id uuid NOT NULL,
  component_id uuid NOT NULL,
  -- Event of the last change.
  event_id uuid NOT NULL,
  stable_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, component_id)
);
-- tenant flaps
CREATE INDEX flaps_stable ON flaps (stable_at);
CREATE POLICY due ON flaps FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, component_id, stable_at) ON flaps TO notifier_due;

-- SMS -------------------------------------------------------------------------

-- Message ids of the provider, and the last status that it reported.
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
-- tenant sms_messages
CREATE INDEX sms_messages_age ON sms_messages (created_at);
CREATE POLICY due ON sms_messages TO notifier_due USING (true);
GRANT SELECT (created_at), DELETE ON sms_messages TO notifier_due;

-- Numbers that sent STOP to a channel.
CREATE TABLE sms_opt_outs (
  organization_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  phone text NOT NULL,
  at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, channel_id, phone)
);
-- tenant sms_opt_outs
CREATE POLICY due ON sms_opt_outs FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, channel_id, phone) ON sms_opt_outs TO notifier_due;

-- Replies that were processed, by the provider's id.
CREATE TABLE hook_receipts (
  organization_id uuid NOT NULL,
  channel_id uuid NOT NULL,
  key text NOT NULL,
  at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, channel_id, key)
);
-- tenant hook_receipts
CREATE INDEX hook_receipts_age ON hook_receipts (at);
CREATE POLICY due ON hook_receipts TO notifier_due USING (true);
GRANT SELECT (at), DELETE ON hook_receipts TO notifier_due;

-- Tables without tenants ------------------------------------------------------

-- Messages of the last minute per rate limit; a batch adds one row. The key is the id of the
-- subscriber, channel or organization, or the nil UUID for all messages.
CREATE TABLE rate_hits (
  key uuid NOT NULL,
  at timestamptz NOT NULL,
  hits int NOT NULL DEFAULT 1
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX rate_hits_window ON rate_hits (key, at DESC);
GRANT SELECT, INSERT, DELETE ON rate_hits TO notifier_due;

-- Health of the operator's transports, such as the mail server.
CREATE TABLE transports (
  name text PRIMARY KEY,
  blocked_until timestamptz(3),
  -- Reason of the deliveries that wait for the transport: `channel_blocked` or `channel_auth`.
  reason text,
  fail_streak int NOT NULL DEFAULT 0
);
GRANT SELECT, UPDATE ON transports TO notifier_due;

-- Newest canary event received from each service.
CREATE TABLE canaries (
  service text PRIMARY KEY,
  sent_at timestamptz(3) NOT NULL
);
GRANT SELECT ON canaries TO notifier_due;

-- Consumed events -------------------------------------------------------------

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-audiences', ARRAY['organization.created', 'organization.updated', 'component.created',
    'component.updated', 'component.deleted', 'subscriber.created', 'subscriber.updated',
    'subscriber.deleted', 'subscriber.imported', 'status-page.created', 'status-page.updated',
    'status-page.deleted']),
  ('notifier-deliveries', ARRAY['incident.created', 'incident.updated', 'incident.resolved',
    'incident.reopened', 'incident.deleted', 'incident.update-overdue']),
  ('notifier-canary', '{canary.sent}'),
  ('notifier-accounts', ARRAY['account.invited', 'account.reset-requested', 'account.warned',
    'account.verification-requested', 'account.test-requested']),
  ('notifier-alerts', ARRAY['oncall.triggered', 'oncall.escalated', 'oncall.acknowledged',
    'oncall.resolved']),
  ('notifier-maintenances', ARRAY['maintenance.scheduled', 'maintenance.started',
    'maintenance.updated', 'maintenance.completed', 'maintenance.reminder']),
  ('notifier-confirmations', '{subscriber.confirmation-requested}'),
  ('notifier-monitors', ARRAY['monitor.down', 'monitor.degraded', 'monitor.recovered',
    'outage.confirmed']),
  ('notifier-members', '{member.added,member.updated,member.removed}'),
  ('notifier-erasure', '{organization.deleted}'),
  ('notifier-erased-addresses', '{subscriber.erased,account.erased}'),
  ('notifier-vendor-status', '{vendor-status.changed}'),
  ('notifier-locations', '{location.stale}'),
  ('notifier-named-events', ARRAY['sla.at-risk', 'sla.breached', 'sla.recovered',
    'sla.response-breached', 'sla.resolution-breached', 'certificate.expiring',
    'incident-draft.created', 'incident-draft.publishing', 'incident-draft.closed']);

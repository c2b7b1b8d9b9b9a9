-- Whom the service may tell, what it was asked to tell them, and what became of it.

-- UUIDv7: gen_random_uuid() with the time in its first 48 bits and the version raised from 4 to 7.
CREATE FUNCTION new_id() RETURNS uuid LANGUAGE sql VOLATILE PARALLEL SAFE AS $$
  SELECT encode(set_bit(set_bit(overlay(uuid_send(gen_random_uuid())
    PLACING substring(int8send((extract(epoch FROM clock_timestamp()) * 1000)::bigint) FROM 3)
    FROM 1 FOR 6), 52, 1), 53, 1), 'hex')::uuid
$$;

-- Copies of what other services own; `version` is the owner's, an older one is ignored.
CREATE TABLE organizations (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE components (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  name text NOT NULL,
  is_muted boolean NOT NULL,
  is_deleted boolean NOT NULL DEFAULT false,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);

CREATE TABLE destinations (
  id uuid NOT NULL PRIMARY KEY,
  organization_id uuid NOT NULL,
  subscriber_id uuid NOT NULL,
  type text NOT NULL CHECK (type IN ('email', 'sms', 'webhook')),
  address text NOT NULL,
  -- Sealed; `webhook` and `mail-token`, both bound to the subscriber's id.
  webhook_secret text,
  manage_token text,
  state text NOT NULL CHECK (state IN ('unconfirmed', 'active', 'unsubscribed', 'quarantined', 'deleted')),
  state_reason text,
  blocked_until timestamptz(3),
  fail_streak int NOT NULL DEFAULT 0,
  first_fail_at timestamptz(3),
  last_ok_at timestamptz(3),
  -- The subscriber's version at core, and our own for the facts that we state about the destination.
  version int NOT NULL,
  own_version int NOT NULL DEFAULT 0,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  UNIQUE (organization_id, id),
  UNIQUE (organization_id, subscriber_id)
);

CREATE TABLE audiences (
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  events text[] NOT NULL,
  component_ids uuid[] NOT NULL,
  status_page_id uuid,
  PRIMARY KEY (organization_id, destination_id),
  FOREIGN KEY (organization_id, destination_id) REFERENCES destinations (organization_id, id) ON DELETE CASCADE
);

-- The event, kept once for all its deliveries.
CREATE TABLE fanouts (
  organization_id uuid NOT NULL,
  event_id uuid NOT NULL,
  kind text NOT NULL,
  aggregate_id uuid NOT NULL,
  aggregate_version int NOT NULL,
  payload jsonb NOT NULL,
  occurred_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, event_id)
);
CREATE INDEX fanouts_aggregate ON fanouts (organization_id, aggregate_id, aggregate_version);
CREATE INDEX fanouts_age ON fanouts (occurred_at);

CREATE TABLE deliveries (
  id uuid NOT NULL PRIMARY KEY DEFAULT new_id(),
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  event_id uuid NOT NULL,
  kind text NOT NULL,
  lane text NOT NULL,
  lane_seq int NOT NULL,
  priority int NOT NULL,
  state text NOT NULL CHECK (state IN
    ('pending', 'sending', 'delivered', 'superseded', 'exhausted', 'suppressed', 'cancelled')),
  reason text,
  attempts int NOT NULL DEFAULT 0,
  deferrals int NOT NULL DEFAULT 0,
  next_attempt_at timestamptz(3) NOT NULL DEFAULT now(),
  lease_until timestamptz(3),
  lease_owner uuid,
  covers uuid[] NOT NULL DEFAULT '{}',
  superseded_by uuid,
  -- The exact bytes of a webhook: made at the first attempt, signed anew at each.
  body bytea,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  finished_at timestamptz(3),
  expires_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  UNIQUE (event_id, destination_id),
  FOREIGN KEY (organization_id, destination_id) REFERENCES destinations (organization_id, id),
  FOREIGN KEY (organization_id, event_id) REFERENCES fanouts (organization_id, event_id)
);
CREATE INDEX deliveries_due ON deliveries (organization_id, next_attempt_at) WHERE state = 'pending';
CREATE INDEX deliveries_lane ON deliveries (lane, lane_seq) WHERE state IN ('pending', 'sending');
CREATE INDEX deliveries_leased ON deliveries (lease_until) WHERE state = 'sending';
CREATE INDEX deliveries_sending ON deliveries (destination_id) WHERE state = 'sending';
CREATE INDEX deliveries_expiring ON deliveries (expires_at) WHERE state = 'pending';
CREATE INDEX deliveries_finished ON deliveries (finished_at);
CREATE INDEX deliveries_log ON deliveries (organization_id, created_at DESC, id DESC);
CREATE INDEX deliveries_destination ON deliveries (organization_id, destination_id, created_at DESC);
ALTER TABLE deliveries SET (autovacuum_vacuum_scale_factor = 0.02);

CREATE TABLE delivery_attempts (
  organization_id uuid NOT NULL,
  delivery_id uuid NOT NULL,
  number int NOT NULL,
  started_at timestamptz(3) NOT NULL,
  duration_ms int NOT NULL,
  outcome text NOT NULL,
  status_code int,
  error text,
  PRIMARY KEY (organization_id, delivery_id, number),
  FOREIGN KEY (organization_id, delivery_id) REFERENCES deliveries (organization_id, id) ON DELETE CASCADE
);

-- Plumbing without tenants: what was sent in the last minute, and whether the operator's mail server answers.
CREATE TABLE rate_hits (key text NOT NULL, at timestamptz NOT NULL);
CREATE INDEX rate_hits_window ON rate_hits (key, at DESC);
ALTER TABLE rate_hits SET (autovacuum_vacuum_scale_factor = 0.02);
CREATE TABLE transports (
  name text PRIMARY KEY,
  blocked_until timestamptz(3),
  -- What deliveries that wait for it say: `channel_blocked` or `channel_auth`.
  reason text,
  fail_streak int NOT NULL DEFAULT 0
);

-- tenant organizations
-- tenant components
-- tenant destinations
-- tenant audiences
-- tenant fanouts
-- tenant deliveries
-- tenant delivery_attempts

-- Claim, reap and expire look at all organizations; everything else works in one.
CREATE POLICY due ON deliveries TO notifier_due USING (true);
CREATE POLICY due ON destinations FOR SELECT TO notifier_due USING (true);
CREATE POLICY due ON delivery_attempts FOR INSERT TO notifier_due WITH CHECK (true);
CREATE POLICY due ON fanouts TO notifier_due USING (true);
GRANT SELECT (id, organization_id, destination_id, event_id, lane, lane_seq, priority, state, attempts, next_attempt_at,
  lease_until, lease_owner, created_at, finished_at, expires_at) ON deliveries TO notifier_due;
GRANT UPDATE (state, reason, attempts, next_attempt_at, lease_until, lease_owner, finished_at, updated_at)
  ON deliveries TO notifier_due;
GRANT DELETE ON deliveries TO notifier_due;
GRANT SELECT (id, organization_id, subscriber_id, type, state, blocked_until) ON destinations TO notifier_due;
GRANT INSERT ON delivery_attempts TO notifier_due;
GRANT SELECT (organization_id, event_id, occurred_at), DELETE ON fanouts TO notifier_due;
GRANT SELECT, UPDATE ON transports TO notifier_due;
GRANT SELECT, DELETE ON rate_hits TO notifier_due;

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-audiences', ARRAY['organization.created', 'component.created', 'component.updated', 'component.deleted',
    'subscriber.created', 'subscriber.updated', 'subscriber.deleted']),
  ('notifier-deliveries', ARRAY['incident.created', 'incident.updated', 'incident.resolved', 'incident.reopened',
    'incident.deleted']),
  ('notifier-canary', ARRAY['canary.sent']);

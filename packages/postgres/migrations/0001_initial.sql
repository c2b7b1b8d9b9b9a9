-- Shared tables of every service: events, receipts, idempotency and erasure. The runner creates
-- them in each service's schema before the service's own tables. They have no row-level security:
-- only the packages postgres and bus query them. The runner grants the three views at the end to
-- the other services.

-- Events ----------------------------------------------------------------------

CREATE TABLE outbox (
  seq bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  event_id uuid NOT NULL UNIQUE,
  organization_id uuid NOT NULL,
  aggregate_type text NOT NULL,
  aggregate_id uuid NOT NULL,
  aggregate_version int NOT NULL,
  kind text NOT NULL,
  subject text NOT NULL,
  payload jsonb NOT NULL,
  occurred_at timestamptz NOT NULL DEFAULT now(),
  published_at timestamptz,
  publish_count int NOT NULL DEFAULT 0,
  bus_epoch timestamptz,
  bus_seq bigint,
  settled_at timestamptz,
  -- W3C trace context of the request that caused the event.
  traceparent text CHECK (length(traceparent) <= 55),
  UNIQUE (aggregate_type, aggregate_id, aggregate_version)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ON outbox (seq) WHERE published_at IS NULL AND settled_at IS NULL;
CREATE INDEX ON outbox (seq) WHERE settled_at IS NULL;
CREATE INDEX ON outbox (organization_id, aggregate_type) WHERE settled_at IS NULL;

-- Event kinds that each consumer of the service handles. Migrations insert the rows, never the
-- start of a service.
CREATE TABLE outbox_consumer (
  consumer text PRIMARY KEY,
  kinds text[] NOT NULL
);

-- Receipts: an event is handled once per consumer.
CREATE TABLE inbox (
  consumer text,
  event_id uuid,
  processed_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (consumer, event_id)
);
CREATE INDEX ON inbox (processed_at);

CREATE TABLE bus_epoch (
  stream text PRIMARY KEY,
  created timestamptz NOT NULL,
  seen_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE dead_event (
  consumer text,
  event_id uuid,
  subject text NOT NULL,
  raw bytea NOT NULL,
  error text,
  tries int NOT NULL,
  first_at timestamptz NOT NULL DEFAULT now(),
  resolved_at timestamptz,
  PRIMARY KEY (consumer, event_id)
);

-- Idempotency -----------------------------------------------------------------

CREATE TABLE idempotency (
  organization_id uuid NOT NULL,
  caller_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  body_hash text NOT NULL,
  owner uuid NOT NULL,
  locked_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Set in the transaction of the request's own change: afterwards the request never runs again.
  took_effect boolean NOT NULL DEFAULT false,
  status int,
  headers jsonb,
  body text,
  PRIMARY KEY (organization_id, caller_id, route, key)
);
CREATE INDEX ON idempotency (expires_at);

-- Erasure ---------------------------------------------------------------------

-- Deleted organizations. The row drives the deletion of this service's rows, and remains as a
-- tombstone, so that a late event writes nothing. It holds no name.
CREATE TABLE erasure (
  organization_id uuid PRIMARY KEY,
  requested_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Time of the next batch.
  next_at timestamptz(3) NOT NULL DEFAULT now(),
  -- Time since which no row was found; null after a batch that deleted rows.
  empty_since timestamptz(3),
  deleted_rows bigint NOT NULL DEFAULT 0,
  completed_at timestamptz(3)
);
CREATE INDEX ON erasure (next_at);

-- Views for other services ----------------------------------------------------

-- Events for delivery without the bus, for verification and for catch-up.
CREATE VIEW outbox_feed AS
  SELECT seq, event_id, organization_id, aggregate_type, aggregate_id, aggregate_version, kind,
    subject, payload, occurred_at, published_at, settled_at, traceparent
  FROM outbox;
-- Consumers and receipts, by which an outbox settles its events.
CREATE VIEW consumers AS SELECT consumer, kinds FROM outbox_consumer;
CREATE VIEW receipts AS SELECT consumer, event_id FROM inbox;

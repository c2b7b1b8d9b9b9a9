-- Made in every service's schema before the service's own tables. No row-level security: only the
-- packages postgres and bus reach these tables. The grants on the three views are made by the
-- runner, because the list of services is not this file's.

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
  UNIQUE (aggregate_type, aggregate_id, aggregate_version)
) WITH (autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ON outbox (seq) WHERE published_at IS NULL AND settled_at IS NULL;
CREATE INDEX ON outbox (seq) WHERE settled_at IS NULL;
CREATE INDEX ON outbox (organization_id, aggregate_type) WHERE settled_at IS NULL;

-- What this service takes; its rows are written by the service's migrations, never at start-up.
CREATE TABLE outbox_consumer (
  consumer text PRIMARY KEY,
  kinds text[] NOT NULL
);

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

CREATE TABLE idempotency (
  organization_id uuid NOT NULL,
  caller_id text NOT NULL,
  route text NOT NULL,
  key text NOT NULL,
  body_hash text NOT NULL,
  owner uuid NOT NULL,
  locked_until timestamptz NOT NULL,
  expires_at timestamptz NOT NULL,
  -- Set in the transaction of the request's own change: from then on it never runs again.
  took_effect boolean NOT NULL DEFAULT false,
  status int,
  headers jsonb,
  body text,
  PRIMARY KEY (organization_id, caller_id, route, key)
);
CREATE INDEX ON idempotency (expires_at);

-- For bypass, verify and catch-up.
CREATE VIEW outbox_feed AS
  SELECT seq, event_id, organization_id, aggregate_type, aggregate_id, aggregate_version, kind,
    subject, payload, occurred_at, published_at, settled_at
  FROM outbox;
-- For sweep and settle.
CREATE VIEW consumers AS SELECT consumer, kinds FROM outbox_consumer;
CREATE VIEW receipts AS SELECT consumer, event_id FROM inbox;

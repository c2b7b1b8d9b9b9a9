-- Identity: who may ask, for which organization, how often, and what was done.
-- Account tables (users, login_failures) belong to no tenant; everything else is behind its policy.

CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  name text NOT NULL,
  password_hash text,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

-- Slugs are never changed and never reused.
CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  version int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE memberships (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role text NOT NULL,
  version int NOT NULL DEFAULT 1,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id)
);
CREATE INDEX ON memberships (user_id, created_at);

CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  token_hash text NOT NULL UNIQUE,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_seen_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id)
    REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);
CREATE INDEX ON sessions (user_id, last_seen_at);
CREATE INDEX ON sessions (last_seen_at);

CREATE TABLE api_keys (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  token_hash text NOT NULL UNIQUE,
  suffix text NOT NULL,
  permissions text[] NOT NULL,
  expires_at timestamptz,
  last_used_at timestamptz,
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  disabled_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX ON api_keys (organization_id, created_at);

CREATE TABLE audit_log (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  action text NOT NULL,
  entity_type text NOT NULL,
  entity_id text NOT NULL,
  entity_name text,
  actor_type text NOT NULL,
  user_id uuid,
  api_key_id uuid,
  changes jsonb NOT NULL,
  ip_address text,
  user_agent text,
  request_id text,
  occurred_at timestamptz NOT NULL,
  PRIMARY KEY (organization_id, id)
);
CREATE INDEX ON audit_log (organization_id, occurred_at);
CREATE INDEX ON audit_log (occurred_at);

-- Wrong passwords by account (or by account and known device): hashes, never addresses.
CREATE TABLE login_failures (
  key text PRIMARY KEY,
  failed_at timestamptz[] NOT NULL,
  blocks int NOT NULL,
  blocked_until timestamptz
);

-- Gateways that are alive: whoever revokes waits for their caches, unless it is alone.
CREATE UNLOGGED TABLE replicas (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT now()
);

-- A sliding window a key: counts by slot, oldest first. Lost in a crash, which costs one window.
-- `granted` is what the last charge was given; it only carries the answer to RETURNING.
CREATE UNLOGGED TABLE rate_counters (
  key text PRIMARY KEY,
  capacity int NOT NULL,
  slots bigint[] NOT NULL,
  counts int[] NOT NULL,
  granted int NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ON rate_counters (expires_at);

-- Forgets the slots that have left the window, then adds to the newest one what still fits.
CREATE FUNCTION charge_window(
  old_slots bigint[], old_counts int[], slot bigint, capacity int, amount int,
  OUT slots bigint[], OUT counts int[], OUT granted int
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE total int;
BEGIN
  SELECT coalesce(array_agg(s ORDER BY s), '{}'), coalesce(array_agg(c ORDER BY s), '{}'),
         coalesce(sum(c), 0)
    INTO slots, counts, total
    FROM unnest(old_slots, old_counts) AS live (s, c) WHERE s >= slot - 60;
  granted := greatest(0, least(amount, capacity - total));
  IF granted > 0 THEN
    -- A clock that stepped back charges the newest slot: a window never runs backwards.
    IF slots[cardinality(slots)] >= slot THEN
      counts[cardinality(counts)] := counts[cardinality(counts)] + granted;
    ELSE
      slots := slots || slot;
      counts := counts || granted;
    END IF;
  END IF;
END $$;

-- An organization's own row; the macro would look for organization_id.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organizations
  USING (id = nullif(current_setting('app.org', true), '')::uuid)
  WITH CHECK (id = nullif(current_setting('app.org', true), '')::uuid);
-- tenant memberships
-- tenant sessions
-- tenant api_keys
-- tenant audit_log

-- The default grants everything on a new table to the service; these may do less.
REVOKE DELETE ON users, organizations FROM gateway;
REVOKE UPDATE, DELETE ON audit_log FROM gateway;
REVOKE ALL ON login_failures FROM gateway;
GRANT EXECUTE ON FUNCTION charge_window TO gateway;

-- Finding an organization by key, session, user or slug, and what belongs to an account.
CREATE POLICY lookup ON organizations FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY lookup ON memberships FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY lookup ON sessions TO gateway_lookup USING (true);
CREATE POLICY lookup ON api_keys FOR SELECT TO gateway_lookup USING (true);
GRANT SELECT (id, email, name, password_hash) ON users TO gateway_lookup;
GRANT SELECT (id, name, slug) ON organizations TO gateway_lookup;
GRANT SELECT (organization_id, user_id, role, created_at) ON memberships TO gateway_lookup;
GRANT SELECT (organization_id, id, user_id, token_hash, created_at, last_seen_at), DELETE
  ON sessions TO gateway_lookup;
GRANT SELECT (organization_id, id, name, token_hash, permissions, expires_at, last_used_at, disabled_at)
  ON api_keys TO gateway_lookup;
GRANT SELECT, INSERT, UPDATE, DELETE ON login_failures TO gateway_lookup;

-- Due work: marks of use and retention.
CREATE POLICY due ON sessions TO gateway_due USING (true);
CREATE POLICY due ON api_keys TO gateway_due USING (true);
CREATE POLICY due ON audit_log TO gateway_due USING (occurred_at < now() - interval '30 days');
-- Restrictive, so that no other policy can widen it: 30 days is the shortest permitted retention.
CREATE POLICY young ON audit_log AS RESTRICTIVE FOR DELETE TO gateway_due
  USING (occurred_at < now() - interval '30 days');
GRANT SELECT (organization_id, id, created_at, last_seen_at), UPDATE (last_seen_at), DELETE
  ON sessions TO gateway_due;
GRANT SELECT (organization_id, id, last_used_at), UPDATE (last_used_at) ON api_keys TO gateway_due;
GRANT SELECT (organization_id, id, occurred_at), DELETE ON audit_log TO gateway_due;
GRANT SELECT (key, failed_at, blocked_until), DELETE ON login_failures TO gateway_due;
-- The update is for SKIP LOCKED: retention never waits for a counter in use.
GRANT SELECT (key, expires_at), UPDATE (granted), DELETE ON rate_counters TO gateway_due;
GRANT SELECT (id, seen_at), DELETE ON replicas TO gateway_due;

INSERT INTO outbox_consumer (consumer, kinds) VALUES ('gateway-audit', '{audit.recorded}');

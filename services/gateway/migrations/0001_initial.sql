-- Schema of the gateway: accounts, organizations, credentials, single sign-on, rate limits, the
-- audit log and the event log. Tables of accounts (users, second factors, login failures, mailed
-- tokens) belong to no organization; every other table has row-level security.

-- Accounts --------------------------------------------------------------------

CREATE TABLE users (
  id uuid PRIMARY KEY,
  email text NOT NULL UNIQUE CHECK (email = lower(email)),
  -- Time at which the owner proved the address. An account without a proved address loses it to
  -- one that proves it.
  email_verified_at timestamptz(3),
  name text NOT NULL,
  password_hash text,
  last_login_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
-- New tables are writable by the service; REVOKE narrows that. Accounts are deleted with their
-- last organization, or at the user's request.
REVOKE DELETE ON users FROM gateway;
GRANT SELECT (id, email, email_verified_at, name, password_hash, last_login_at),
  UPDATE (email, email_verified_at, name, password_hash, last_login_at, updated_at), DELETE
  ON users TO gateway_lookup;

-- Tokens of mails that verify an address.
CREATE TABLE email_verifications (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX ON email_verifications (user_id);
CREATE INDEX ON email_verifications (expires_at);
REVOKE ALL ON email_verifications FROM gateway;
-- A registration inserts the first token in the transaction that creates the account.
GRANT INSERT ON email_verifications TO gateway;
GRANT SELECT, INSERT, DELETE ON email_verifications TO gateway_lookup;
GRANT SELECT (id, expires_at), DELETE ON email_verifications TO gateway_due;

CREATE TABLE password_resets (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX ON password_resets (user_id);
CREATE INDEX ON password_resets (expires_at);
REVOKE ALL ON password_resets FROM gateway;
GRANT SELECT, INSERT, DELETE ON password_resets TO gateway_lookup;
GRANT SELECT (id, expires_at), DELETE ON password_resets TO gateway_due;

-- Times of reset mails by address, with or without an account. Keys are hashes, never addresses.
CREATE TABLE reset_requests (
  key text PRIMARY KEY,
  requested_at timestamptz(3)[] NOT NULL
);
CREATE INDEX ON reset_requests ((requested_at[cardinality(requested_at)]));
REVOKE ALL ON reset_requests FROM gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON reset_requests TO gateway_lookup;
GRANT SELECT (key, requested_at), DELETE ON reset_requests TO gateway_due;

-- Nonce of the link for the first account; the first account deletes it. One row at most.
CREATE TABLE setup_nonces (
  is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
  nonce text NOT NULL
);
REVOKE ALL ON setup_nonces FROM gateway;
GRANT SELECT, DELETE ON setup_nonces TO gateway;
GRANT SELECT, INSERT ON setup_nonces TO gateway_lookup;

-- Wrong passwords by account, or by account and known device. Keys are hashes, never addresses.
CREATE TABLE login_failures (
  key text PRIMARY KEY,
  failed_at timestamptz(3)[] NOT NULL,
  blocks int NOT NULL,
  blocked_until timestamptz(3)
);
REVOKE ALL ON login_failures FROM gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON login_failures TO gateway_lookup;
GRANT SELECT (key, failed_at, blocked_until), DELETE ON login_failures TO gateway_due;

-- Second factor ---------------------------------------------------------------

-- Enabled second factors.
CREATE TABLE two_factor (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret text NOT NULL,
  -- Time step of the last accepted code; it only rises, so that no code is accepted twice.
  last_step bigint NOT NULL,
  enabled_at timestamptz(3) NOT NULL DEFAULT now()
);
REVOKE ALL ON two_factor FROM gateway;
-- An organization sees whether a member has a second factor, and never the secret.
GRANT SELECT (user_id, enabled_at) ON two_factor TO gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON two_factor TO gateway_lookup;
-- Key rotation encrypts secrets again.
GRANT SELECT (user_id, sealed_secret), UPDATE (sealed_secret) ON two_factor TO gateway_due;

-- Secrets that wait for their first correct code.
CREATE TABLE two_factor_setups (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret text NOT NULL,
  expires_at timestamptz(3) NOT NULL
);
REVOKE ALL ON two_factor_setups FROM gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON two_factor_setups TO gateway_lookup;
GRANT SELECT (user_id, expires_at), DELETE ON two_factor_setups TO gateway_due;

CREATE TABLE backup_codes (
  user_id uuid NOT NULL REFERENCES two_factor (user_id) ON DELETE CASCADE,
  code_hash text NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);
REVOKE ALL ON backup_codes FROM gateway;
GRANT SELECT, INSERT, DELETE ON backup_codes TO gateway_lookup;

-- Wrong codes of a day, from all addresses, and the time of the last warning to the user.
CREATE TABLE code_failures (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  failed_at timestamptz(3)[] NOT NULL,
  warned_at timestamptz(3)
);
CREATE INDEX ON code_failures ((failed_at[cardinality(failed_at)]));
REVOKE ALL ON code_failures FROM gateway;
GRANT SELECT, INSERT, UPDATE, DELETE ON code_failures TO gateway_lookup;
GRANT SELECT (user_id, failed_at), DELETE ON code_failures TO gateway_due;

-- Organizations ---------------------------------------------------------------

-- A slug is never changed and never reused.
CREATE TABLE organizations (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  slug text NOT NULL UNIQUE CHECK (slug ~ '^[a-z0-9]+(-[a-z0-9]+)*$'),
  version int NOT NULL DEFAULT 1,
  require_2fa boolean NOT NULL DEFAULT false,
  sso_enforced boolean NOT NULL DEFAULT false,
  allowed_email_domains text[] NOT NULL DEFAULT '{}',
  notification_limits jsonb NOT NULL DEFAULT
    '{"perChannel":10,"perSubscriber":5,"webhookPerSubscriber":10,"webhookPerOrganization":100}',
  deletion_requested_at timestamptz(3),
  deletion_requested_by uuid,
  deletion_due_at timestamptz(3),
  -- Start of the deletion: requests are refused from here on, and the deletion cannot be
  -- cancelled.
  deletion_started_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  CHECK ((deletion_requested_at IS NULL) = (deletion_due_at IS NULL)),
  CHECK (deletion_started_at IS NULL OR deletion_due_at IS NOT NULL)
);
CREATE INDEX ON organizations (deletion_due_at) WHERE deletion_due_at IS NOT NULL;
-- The tenant line cannot be used: the organization's own row has its id in `id`.
ALTER TABLE organizations ENABLE ROW LEVEL SECURITY;
ALTER TABLE organizations FORCE ROW LEVEL SECURITY;
CREATE POLICY tenant ON organizations
  USING (id = nullif(current_setting('app.org', true), '')::uuid)
  WITH CHECK (id = nullif(current_setting('app.org', true), '')::uuid);
-- The row is deleted last, after all other rows of this service.
CREATE POLICY erased ON organizations AS RESTRICTIVE FOR DELETE TO gateway
  USING (EXISTS (SELECT FROM erasure e
    WHERE e.organization_id = organizations.id AND e.completed_at IS NOT NULL));
CREATE POLICY due ON organizations FOR SELECT TO gateway_due USING (true);
GRANT SELECT (id, deletion_due_at, deletion_started_at) ON organizations TO gateway_due;
-- Lookups find an organization by slug; the deletion of an account requests the deletion of the
-- organizations without another member.
CREATE POLICY lookup ON organizations FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY removal ON organizations FOR UPDATE TO gateway_lookup
  USING (deletion_started_at IS NULL);
GRANT SELECT (id, name, slug, require_2fa, sso_enforced, deletion_started_at),
  UPDATE (deletion_requested_at, deletion_due_at) ON organizations TO gateway_lookup;

-- Receipts of the services that deleted an organization. They outlive it, with ids and counts
-- only.
CREATE TABLE erasure_receipts (
  organization_id uuid NOT NULL,
  service text NOT NULL,
  deleted_rows bigint NOT NULL,
  completed_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, service)
);
-- tenant erasure_receipts
CREATE POLICY due ON erasure_receipts FOR SELECT TO gateway_due USING (true);
GRANT SELECT (organization_id, service) ON erasure_receipts TO gateway_due;
GRANT SELECT (organization_id, completed_at) ON erasure TO gateway_due;
GRANT SELECT (organization_id) ON erasure TO gateway_lookup;

-- Digests of the slugs of deleted organizations: a slug is never reused.
CREATE TABLE retired_slugs (slug_digest text PRIMARY KEY);
REVOKE ALL ON retired_slugs FROM gateway;
GRANT SELECT, INSERT ON retired_slugs TO gateway;

-- Members and roles -----------------------------------------------------------

-- `role` holds a built-in name or the id of a custom role. A custom role in use cannot be deleted;
-- the lock on the organization's row ensures it.
CREATE TABLE memberships (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  role text NOT NULL,
  version int NOT NULL DEFAULT 1,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, user_id)
);
-- tenant memberships
CREATE INDEX ON memberships (user_id, created_at);
CREATE INDEX ON memberships (organization_id, role);
CREATE POLICY lookup ON memberships FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY lookup_update ON memberships FOR UPDATE TO gateway_lookup USING (true);
CREATE POLICY erasure ON memberships FOR DELETE TO gateway_lookup USING (true);
-- A changed address raises the version of each membership: other services copy the members'
-- addresses.
GRANT SELECT (organization_id, id, user_id, role, version, created_at),
  UPDATE (version, updated_at), DELETE ON memberships TO gateway_lookup;

CREATE TABLE roles (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  description text,
  permissions text[] NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- tenant roles
CREATE UNIQUE INDEX roles_name_key ON roles (organization_id, lower(name));
CREATE POLICY lookup ON roles FOR SELECT TO gateway_lookup USING (true);
GRANT SELECT (organization_id, id, permissions) ON roles TO gateway_lookup;

CREATE TABLE invitations (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  email text NOT NULL CHECK (email = lower(email)),
  role text NOT NULL,
  token_hash text NOT NULL UNIQUE,
  invited_by uuid REFERENCES users (id) ON DELETE SET NULL,
  expires_at timestamptz(3) NOT NULL,
  accepted_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- tenant invitations
CREATE UNIQUE INDEX invitations_open_key ON invitations (organization_id, email)
  WHERE accepted_at IS NULL;
CREATE INDEX ON invitations (organization_id, created_at, id);
CREATE POLICY lookup ON invitations FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY removal ON invitations FOR DELETE TO gateway_lookup USING (true);
-- The role of an invitation decides whether a password is sufficient to accept it.
GRANT SELECT (organization_id, id, email, role, token_hash, expires_at, accepted_at), DELETE
  ON invitations TO gateway_lookup;

-- Sessions and API keys -------------------------------------------------------

CREATE TABLE sessions (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  user_id uuid NOT NULL,
  token_hash text NOT NULL UNIQUE,
  -- The second factor of an `sso` session is the identity provider's duty.
  method text NOT NULL DEFAULT 'password',
  ip_address text,
  user_agent text,
  -- Set when the member's role changes: the next use issues a new token. The previous token is
  -- accepted until `replaced_until`, a few seconds, because a browser may still send it.
  should_renew boolean NOT NULL DEFAULT false,
  replaced_until timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  last_seen_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  FOREIGN KEY (organization_id, user_id)
    REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);
-- tenant sessions
CREATE INDEX ON sessions (user_id, last_seen_at);
CREATE INDEX ON sessions (last_seen_at);
CREATE POLICY lookup ON sessions TO gateway_lookup USING (true);
GRANT SELECT (organization_id, id, user_id, token_hash, method, ip_address, user_agent,
    should_renew, replaced_until, created_at, last_seen_at),
  INSERT, UPDATE (should_renew, replaced_until), DELETE ON sessions TO gateway_lookup;
-- Last use and retention are written across organizations.
CREATE POLICY due ON sessions TO gateway_due USING (true);
GRANT SELECT (organization_id, id, created_at, last_seen_at), UPDATE (last_seen_at), DELETE
  ON sessions TO gateway_due;

CREATE TABLE api_keys (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  name text NOT NULL,
  token_hash text NOT NULL UNIQUE,
  suffix text NOT NULL,
  permissions text[] NOT NULL,
  expires_at timestamptz(3),
  last_used_at timestamptz(3),
  created_by uuid REFERENCES users (id) ON DELETE SET NULL,
  disabled_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id)
);
-- tenant api_keys
CREATE INDEX ON api_keys (organization_id, created_at);
CREATE INDEX ON api_keys (organization_id, created_by);
CREATE POLICY lookup ON api_keys FOR SELECT TO gateway_lookup USING (true);
CREATE POLICY removal ON api_keys FOR UPDATE TO gateway_lookup USING (true);
GRANT SELECT (organization_id, id, name, token_hash, permissions, created_by, expires_at,
    last_used_at, disabled_at), UPDATE (disabled_at) ON api_keys TO gateway_lookup;
CREATE POLICY due ON api_keys TO gateway_due USING (true);
GRANT SELECT (organization_id, id, last_used_at), UPDATE (last_used_at) ON api_keys TO gateway_due;

-- Single sign-on --------------------------------------------------------------

-- Any organization may claim a domain; only one holds it as verified.
CREATE TABLE domains (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id uuid NOT NULL,
  domain text NOT NULL CHECK (domain = lower(domain)),
  txt_value text NOT NULL,
  verified_at timestamptz(3),
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, domain)
);
-- tenant domains
CREATE UNIQUE INDEX domains_verified_key ON domains (domain) WHERE verified_at IS NOT NULL;
CREATE INDEX ON domains (organization_id, created_at, id);
-- A login finds its organization by the domain of the address.
CREATE POLICY lookup ON domains FOR SELECT TO gateway_lookup USING (true);
GRANT SELECT (organization_id, domain, verified_at) ON domains TO gateway_lookup;

-- Identity provider of an organization. Entity ids are not unique: several organizations may use
-- the same provider, and the first one to name it must not lock the others out.
CREATE TABLE saml_providers (
  organization_id uuid PRIMARY KEY REFERENCES organizations (id) ON DELETE CASCADE,
  is_enabled boolean NOT NULL,
  idp_entity_id text NOT NULL,
  idp_sso_url text NOT NULL,
  -- Base64 of DER, the form in which messages and metadata contain certificates.
  certificates text[] NOT NULL,
  default_role text NOT NULL,
  attribute_mapping jsonb NOT NULL,
  -- The administrator of a provider can log in as anyone that the provider names: only a provider
  -- that an OWNER configured may name an OWNER.
  set_by_owner boolean NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  updated_at timestamptz(3) NOT NULL DEFAULT now()
);
-- tenant saml_providers
CREATE POLICY lookup ON saml_providers FOR SELECT TO gateway_lookup USING (true);
GRANT SELECT (organization_id, is_enabled) ON saml_providers TO gateway_lookup;

-- Requests without a response; their use deletes them.
CREATE TABLE saml_requests (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id text NOT NULL,
  browser_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant saml_requests
CREATE INDEX ON saml_requests (expires_at);
CREATE POLICY due ON saml_requests TO gateway_due USING (true);
GRANT SELECT (organization_id, id, expires_at), DELETE ON saml_requests TO gateway_due;

-- Used assertions, stored for as long as one could be presented again.
CREATE TABLE saml_assertions (
  organization_id uuid NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
  id_hash text NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id_hash)
);
-- tenant saml_assertions
CREATE INDEX ON saml_assertions (expires_at);
CREATE POLICY due ON saml_assertions TO gateway_due USING (true);
GRANT SELECT (organization_id, id_hash, expires_at), DELETE ON saml_assertions TO gateway_due;

-- Users by the provider's identifier; an address alone identifies no user.
CREATE TABLE saml_identities (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  idp_entity_id text NOT NULL,
  name_id text NOT NULL,
  user_id uuid NOT NULL,
  created_at timestamptz(3) NOT NULL DEFAULT now(),
  PRIMARY KEY (organization_id, id),
  UNIQUE (organization_id, idp_entity_id, name_id),
  FOREIGN KEY (organization_id, user_id)
    REFERENCES memberships (organization_id, user_id) ON DELETE CASCADE
);
-- tenant saml_identities
CREATE INDEX ON saml_identities (organization_id, user_id);

-- Audit log -------------------------------------------------------------------

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
  occurred_at timestamptz(3) NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant audit_log
CREATE INDEX ON audit_log (occurred_at);
-- One index per filter, each in the order of the list and of the export's pages.
CREATE INDEX ON audit_log (organization_id, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, action, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, entity_type, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, entity_id, occurred_at, id);
CREATE INDEX ON audit_log (organization_id, user_id, occurred_at, id) WHERE user_id IS NOT NULL;
CREATE INDEX ON audit_log (organization_id, api_key_id, occurred_at, id)
  WHERE api_key_id IS NOT NULL;
REVOKE UPDATE, DELETE ON audit_log FROM gateway;
CREATE POLICY due ON audit_log TO gateway_due USING (occurred_at < now() - interval '30 days');
-- Restrictive, so that no other policy can widen it: 30 days is the shortest permitted retention.
-- Only the deletion of the organization deletes younger entries.
CREATE POLICY minimum_retention ON audit_log AS RESTRICTIVE FOR DELETE TO gateway_due
  USING (occurred_at < now() - interval '30 days'
    OR EXISTS (SELECT FROM erasure e WHERE e.organization_id = audit_log.organization_id));
CREATE POLICY erased ON audit_log TO gateway_due
  USING (EXISTS (SELECT FROM erasure e WHERE e.organization_id = audit_log.organization_id));
GRANT SELECT (organization_id, id, occurred_at), DELETE ON audit_log TO gateway_due;

-- Removes personal texts from the audit log, the only permitted change of an entry. One call
-- processes one page of entries, so that a statement reads a bounded number of them. Returns the
-- id of the last entry of the page, or null after the last page. Row-level security binds the
-- function to the organization of the transaction.
CREATE FUNCTION redact_audit(
  entities text[], person uuid, address text, pattern text, after_id uuid, page_rows int)
RETURNS uuid LANGUAGE plpgsql SECURITY DEFINER SET search_path = gateway, pg_temp AS $$
DECLARE last_id uuid;
BEGIN
  WITH page AS MATERIALIZED (
    SELECT organization_id, id FROM audit_log
    WHERE organization_id = nullif(current_setting('app.org', true), '')::uuid AND id > after_id
    ORDER BY id LIMIT page_rows),
  changed AS (UPDATE audit_log a SET
      entity_name = CASE WHEN a.entity_id = ANY (entities) OR a.entity_name ~* pattern
        THEN NULL ELSE a.entity_name END,
      changes = regexp_replace(a.changes::text, pattern, '[erased]', 'gi')::jsonb,
      ip_address = CASE WHEN a.user_id = person THEN NULL ELSE a.ip_address END,
      user_agent = CASE WHEN a.user_id = person THEN NULL ELSE a.user_agent END
    FROM page p WHERE a.organization_id = p.organization_id AND a.id = p.id
      AND (a.entity_id = ANY (entities) AND a.entity_name IS NOT NULL
        OR a.user_id = person AND (a.ip_address IS NOT NULL OR a.user_agent IS NOT NULL)
        OR strpos(lower(a.entity_name), lower(address)) > 0 AND a.entity_name ~* pattern
        OR strpos(lower(a.changes::text), lower(address)) > 0 AND a.changes::text ~* pattern))
  SELECT id INTO last_id FROM page ORDER BY id DESC LIMIT 1;
  RETURN last_id;
END $$;
REVOKE ALL ON FUNCTION redact_audit FROM PUBLIC;
GRANT EXECUTE ON FUNCTION redact_audit TO gateway;

-- Event log -------------------------------------------------------------------

-- Last position of each organization, with its event. The row is locked from the assignment of a
-- position to the commit: a position is visible only after all earlier ones, and a transaction that
-- is rolled back leaves no gap.
CREATE TABLE event_log_heads (
  organization_id uuid PRIMARY KEY,
  position bigint NOT NULL,
  event_id uuid NOT NULL
) WITH (fillfactor = 50);
-- tenant event_log_heads
CREATE POLICY due ON event_log_heads FOR SELECT TO gateway_due USING (true);
GRANT SELECT (organization_id, position, event_id) ON event_log_heads TO gateway_due;

-- Events of the last seven days for programs, as the text that they receive.
CREATE TABLE event_log (
  organization_id uuid NOT NULL,
  position bigint NOT NULL,
  event_id uuid NOT NULL,
  kind text NOT NULL,
  payload text NOT NULL,
  -- From the clock while the head is locked, so that times rise with the positions.
  logged_at timestamptz(3) NOT NULL DEFAULT clock_timestamp(),
  PRIMARY KEY (organization_id, position),
  UNIQUE (organization_id, event_id)
);
-- tenant event_log
-- Pages of selected kinds.
CREATE INDEX ON event_log (organization_id, kind, position);
CREATE INDEX ON event_log (logged_at);
CREATE POLICY due ON event_log TO gateway_due USING (logged_at < now() - interval '7 days');
GRANT SELECT (organization_id, position, logged_at), DELETE ON event_log TO gateway_due;

-- Replicas and rate limits ----------------------------------------------------

-- Live gateways: a revocation waits for the caches of the others, unless this replica is the only
-- one.
CREATE UNLOGGED TABLE replicas (
  id uuid PRIMARY KEY,
  seen_at timestamptz NOT NULL DEFAULT now()
);
GRANT SELECT (id, seen_at), DELETE ON replicas TO gateway_due;

-- Sliding window per key, to the millisecond. A crash empties the unlogged table, which costs one
-- window.
CREATE UNLOGGED TABLE rate_windows (
  key text PRIMARY KEY,
  window_ms int NOT NULL,
  capacity int NOT NULL,
  -- Milliseconds of the database's clock, oldest first. Requests within a sixtieth of the window
  -- share the last of their times, so that no caller waits longer than the window.
  times bigint[] NOT NULL,
  counts int[] NOT NULL,
  -- Amount that the last charge admitted; RETURNING reads it.
  granted int NOT NULL,
  expires_at timestamptz NOT NULL
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02);
CREATE INDEX ON rate_windows (expires_at);
-- UPDATE is for SKIP LOCKED: retention never waits for a counter in use.
GRANT SELECT (key, expires_at), UPDATE (granted), DELETE ON rate_windows TO gateway_due;

-- Drops what has left the window, then adds what still fits at the present time.
CREATE FUNCTION charge_window(
  old_times bigint[], old_counts int[], at bigint, window_ms int, capacity int, amount int,
  OUT times bigint[], OUT counts int[], OUT granted int
) LANGUAGE plpgsql IMMUTABLE AS $$
DECLARE
  total int;
  part_ms bigint := ceil(window_ms / 60.0);
  newest int;
BEGIN
  SELECT coalesce(array_agg(t ORDER BY t), '{}'), coalesce(array_agg(c ORDER BY t), '{}'),
         coalesce(sum(c), 0)
    INTO times, counts, total
    FROM unnest(old_times, old_counts) AS live (t, c) WHERE t > at - window_ms;
  granted := greatest(0, least(amount, capacity - total));
  IF granted > 0 THEN
    newest := cardinality(times);
    -- A clock that stepped back charges the newest time: a window never runs backwards.
    IF times[newest] / part_ms >= at / part_ms THEN
      times[newest] := greatest(times[newest], at);
      counts[newest] := counts[newest] + granted;
    ELSE
      times := times || at;
      counts := counts || granted;
    END IF;
  END IF;
END $$;
GRANT EXECUTE ON FUNCTION charge_window TO gateway;

-- Consumed events -------------------------------------------------------------

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('gateway-audit', '{audit.recorded}'),
  ('gateway-erasure', '{erasure.completed}'),
  ('gateway-events', ARRAY['incident.created', 'incident.updated', 'incident.resolved',
    'incident.reopened', 'incident.update-overdue', 'incident-draft.created',
    'incident-draft.publishing', 'maintenance.scheduled', 'maintenance.started',
    'maintenance.updated', 'maintenance.completed', 'component.created', 'component.updated',
    'component.deleted', 'monitor.down', 'monitor.degraded', 'monitor.recovered',
    'certificate.expiring', 'sla.at-risk', 'sla.breached', 'sla.recovered',
    'sla.response-breached', 'sla.resolution-breached', 'oncall.triggered', 'oncall.escalated',
    'oncall.acknowledged', 'oncall.resolved']),
  ('gateway-erased-addresses', '{subscriber.erased,account.erased}');

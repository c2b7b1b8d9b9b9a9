-- Accounts: second factor, password reset, and what a session tells about itself.
-- Like users, these tables belong to no tenant; only the lookup role reaches them.

ALTER TABLE users ADD COLUMN last_login_at timestamptz(3);
ALTER TABLE organizations ADD COLUMN require_2fa boolean NOT NULL DEFAULT false;

-- How the session began: the second factor of an `sso` session is the provider's duty.
ALTER TABLE sessions
  ADD COLUMN method text NOT NULL DEFAULT 'password' CHECK (method IN ('password', 'sso')),
  ADD COLUMN ip_address text,
  ADD COLUMN user_agent text;

-- A row means switched on. `last_step` is the replay memory: it only rises.
CREATE TABLE two_factor (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret text NOT NULL,
  last_step bigint NOT NULL,
  enabled_at timestamptz(3) NOT NULL DEFAULT now()
);

-- A secret that waits for its first right code.
CREATE TABLE two_factor_setups (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  sealed_secret text NOT NULL,
  expires_at timestamptz(3) NOT NULL
);

CREATE TABLE backup_codes (
  user_id uuid NOT NULL REFERENCES two_factor (user_id) ON DELETE CASCADE,
  code_hash text NOT NULL,
  PRIMARY KEY (user_id, code_hash)
);

-- Wrong codes of a day, over all addresses, and when the user was last told of them.
CREATE TABLE code_failures (
  user_id uuid PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
  failed_at timestamptz(3)[] NOT NULL,
  warned_at timestamptz(3)
);
CREATE INDEX ON code_failures ((failed_at[cardinality(failed_at)]));

CREATE TABLE password_resets (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX ON password_resets (user_id);
CREATE INDEX ON password_resets (expires_at);

-- Reset mails by address, known or not: hashes, never addresses.
CREATE TABLE reset_requests (
  key text PRIMARY KEY,
  requested_at timestamptz(3)[] NOT NULL
);
CREATE INDEX ON reset_requests ((requested_at[cardinality(requested_at)]));

REVOKE ALL ON two_factor, two_factor_setups, backup_codes, code_failures, password_resets,
  reset_requests FROM gateway;
-- Whether a member has a second factor is for the organization to see; its secret is not.
GRANT SELECT (user_id, enabled_at) ON two_factor TO gateway;

GRANT SELECT (last_login_at), UPDATE (password_hash, last_login_at, updated_at)
  ON users TO gateway_lookup;
GRANT SELECT (require_2fa) ON organizations TO gateway_lookup;
GRANT SELECT (method, ip_address, user_agent), INSERT ON sessions TO gateway_lookup;
GRANT SELECT, INSERT, UPDATE, DELETE ON two_factor, two_factor_setups, code_failures,
  reset_requests TO gateway_lookup;
GRANT SELECT, INSERT, DELETE ON backup_codes, password_resets TO gateway_lookup;

GRANT SELECT (user_id, expires_at), DELETE ON two_factor_setups TO gateway_due;
GRANT SELECT (user_id, failed_at), DELETE ON code_failures TO gateway_due;
GRANT SELECT (id, expires_at), DELETE ON password_resets TO gateway_due;
GRANT SELECT (key, requested_at), DELETE ON reset_requests TO gateway_due;

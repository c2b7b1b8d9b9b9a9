-- Addresses that their owner has proved, and the mailed tokens of those that are not proved yet. An
-- account without a proved address loses it to a proved one: the lookup role writes the address then,
-- and a new version of each membership, because other services copy the address of members.

ALTER TABLE users ADD COLUMN email_verified_at timestamptz(3);

CREATE TABLE email_verifications (
  id uuid PRIMARY KEY,
  user_id uuid NOT NULL REFERENCES users (id) ON DELETE CASCADE,
  token_hash text NOT NULL UNIQUE,
  expires_at timestamptz(3) NOT NULL
);
CREATE INDEX ON email_verifications (user_id);
CREATE INDEX ON email_verifications (expires_at);

REVOKE ALL ON email_verifications FROM gateway;
-- A registration writes the first token in the transaction that makes the account.
GRANT INSERT ON email_verifications TO gateway;
GRANT SELECT, INSERT, DELETE ON email_verifications TO gateway_lookup;
GRANT SELECT (id, expires_at), DELETE ON email_verifications TO gateway_due;

GRANT SELECT (email_verified_at), UPDATE (email, email_verified_at) ON users TO gateway_lookup;
CREATE POLICY lookup_update ON memberships FOR UPDATE TO gateway_lookup USING (true);
GRANT SELECT (id, version), UPDATE (version, updated_at) ON memberships TO gateway_lookup;

-- Signing up and confirming: what was asked for, what was answered, how often an address was written to.

ALTER TABLE subscribers
  -- Signs along until then.
  ADD COLUMN previous_webhook_secret text,
  ADD COLUMN previous_webhook_secret_until timestamptz(3),
  -- Taken back from quarantine: what was learned of the address before does not count.
  ADD COLUMN reactivated_at timestamptz(3),
  -- From where the consent was given; with its time, source and page the proof of it.
  ADD COLUMN consent_address text,
  ADD CHECK ((previous_webhook_secret IS NULL) = (previous_webhook_secret_until IS NULL));

-- One a filter, in the order of the list. Sorted by address only e-mail has a place.
CREATE INDEX ON subscribers (organization_id, type, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, status, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, source, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, status_page_id, created_at DESC, id DESC);
CREATE INDEX ON subscribers (organization_id, type, id);
CREATE INDEX ON subscribers (organization_id, (CASE WHEN type = 'email' THEN address END), id);
CREATE INDEX ON subscribers USING gin (component_ids);

-- A question to an address. What was asked for becomes true with the answer, never before: whoever asks
-- for the address of another changes nothing of theirs.
CREATE TABLE subscriber_confirmations (
  id uuid PRIMARY KEY,
  organization_id uuid NOT NULL,
  subscriber_id uuid NOT NULL,
  address_digest text NOT NULL,
  -- Of the token; of a code it is made with the id, since a million codes are soon tried.
  secret_digest text NOT NULL,
  component_ids uuid[] NOT NULL,
  events text[] NOT NULL,
  webhook_secret text,
  source text NOT NULL CHECK (source IN ('self_signup', 'api')),
  tries int NOT NULL,
  created_at timestamptz(3) NOT NULL,
  expires_at timestamptz(3) NOT NULL,
  UNIQUE (organization_id, id),
  FOREIGN KEY (organization_id, subscriber_id) REFERENCES subscribers (organization_id, id)
    ON DELETE CASCADE
);
-- tenant subscriber_confirmations
CREATE INDEX ON subscriber_confirmations (organization_id, subscriber_id);
CREATE UNIQUE INDEX subscriber_confirmations_secret ON subscriber_confirmations (secret_digest);
CREATE INDEX ON subscriber_confirmations (address_digest);
CREATE INDEX ON subscriber_confirmations (expires_at);

-- Plumbing without tenants: an address is spared whoever asks for it, in whichever organization.
CREATE TABLE confirmation_turns (address_digest text NOT NULL, at timestamptz(3) NOT NULL);
CREATE INDEX ON confirmation_turns (address_digest, at);
CREATE INDEX ON confirmation_turns (at);

-- Whose a token or a code is, of any organization.
GRANT SELECT (organization_id, id, subscriber_id, address_digest, secret_digest, expires_at, created_at)
  ON subscriber_confirmations TO core_lookup;
CREATE POLICY lookup ON subscriber_confirmations FOR SELECT TO core_lookup USING (true);

-- Questions that nobody answered go, and the addresses that were never confirmed with them.
GRANT SELECT (organization_id, id, subscriber_id, expires_at), DELETE
  ON subscriber_confirmations TO core_due;
CREATE POLICY due ON subscriber_confirmations TO core_due USING (true);
GRANT SELECT (organization_id, id, version, type, status, source, status_page_id, created_at), DELETE
  ON subscribers TO core_due;
CREATE POLICY due ON subscribers TO core_due USING (true);
GRANT SELECT, DELETE ON confirmation_turns TO core_due;
CREATE INDEX subscribers_unconfirmed ON subscribers (created_at)
  WHERE status = 'unconfirmed' AND source = 'self_signup';

INSERT INTO outbox_consumer (consumer, kinds) VALUES ('core-deliveries', '{delivery.summarised}');

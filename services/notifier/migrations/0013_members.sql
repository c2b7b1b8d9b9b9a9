-- Copies of members and pages, what has ended and whom to tell of it, and how old the last canary is.

-- By the facts of the gateway; one who left stays, so that an older fact cannot bring them back.
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

-- Their language is that of who subscribed to them. One that was stated before this table is English.
CREATE TABLE pages (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  locale text NOT NULL,
  is_deleted boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);

-- Destinations that were quarantined or disabled, each once a day; told together when there are many.
CREATE TABLE endings (
  organization_id uuid NOT NULL,
  destination_id uuid NOT NULL,
  day date NOT NULL,
  reason text NOT NULL,
  at timestamptz(3) NOT NULL,
  told_at timestamptz(3),
  PRIMARY KEY (organization_id, destination_id, day)
);
CREATE INDEX endings_untold ON endings (organization_id, at) WHERE told_at IS NULL;
CREATE INDEX endings_told ON endings (organization_id, told_at) WHERE told_at IS NOT NULL;
CREATE INDEX endings_age ON endings (at);

-- The newest that has come through from each service; plumbing, without tenants.
CREATE TABLE canaries (
  service text PRIMARY KEY,
  sent_at timestamptz(3) NOT NULL
);

-- tenant members
-- tenant pages
-- tenant endings

CREATE POLICY due ON endings TO notifier_due USING (true);
GRANT SELECT (organization_id, at, told_at), DELETE ON endings TO notifier_due;
GRANT SELECT ON canaries TO notifier_due;

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-members', '{member.added,member.updated,member.removed}');
UPDATE outbox_consumer SET kinds = kinds ||
    '{status-page.created,status-page.updated,status-page.deleted}'::text[]
  WHERE consumer = 'notifier-audiences';

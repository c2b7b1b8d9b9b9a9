-- Destinations that are people with an account, or will be: account mail goes to them.

ALTER TABLE destinations ADD COLUMN kind text NOT NULL DEFAULT 'subscriber' CHECK (kind IN ('subscriber', 'user'));
ALTER TABLE destinations ADD COLUMN user_id uuid;
ALTER TABLE destinations ALTER COLUMN subscriber_id DROP NOT NULL;
ALTER TABLE destinations ADD CHECK ((kind = 'subscriber') = (subscriber_id IS NOT NULL));
CREATE UNIQUE INDEX destinations_people ON destinations (organization_id, address) WHERE kind = 'user';

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-accounts', ARRAY['account.invited', 'account.reset-requested', 'account.warned']);

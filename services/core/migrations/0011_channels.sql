-- Core's copy of the notification channels: which of them an escalation may name.

-- By the facts of the notifier; one that was removed stays, so that an older fact cannot revive it.
CREATE TABLE channels (
  organization_id uuid NOT NULL,
  id uuid NOT NULL,
  is_removed boolean NOT NULL,
  version int NOT NULL,
  PRIMARY KEY (organization_id, id)
);
-- tenant channels

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('core-channels', '{notification-channel.created,notification-channel.updated,notification-channel.deleted}');

-- The address of a deleted account leaves the stored events.
INSERT INTO outbox_consumer (consumer, kinds) VALUES ('core-erased-accounts', '{account.erased}');

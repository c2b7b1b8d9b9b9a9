-- The address of a subscriber, too, leaves the stored events after the request, in batches.
DELETE FROM outbox_consumer WHERE consumer = 'core-erased-accounts';
INSERT INTO outbox_consumer (consumer, kinds)
  VALUES ('core-erased-addresses', '{subscriber.erased,account.erased}');

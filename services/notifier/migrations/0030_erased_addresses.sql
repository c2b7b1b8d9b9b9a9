-- Addresses that were erased leave the deliveries, their log and the stored events.
INSERT INTO outbox_consumer (consumer, kinds) VALUES ('notifier-erased-addresses', '{subscriber.erased}');

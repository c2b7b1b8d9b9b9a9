-- An erased mail address leaves the stored events and answers.
INSERT INTO outbox_consumer (consumer, kinds)
  VALUES ('integrations-erased-addresses', '{subscriber.erased,account.erased}');

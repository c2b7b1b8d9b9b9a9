-- The address of a deleted account leaves as that of an erased subscriber does.
UPDATE outbox_consumer SET kinds = kinds || '{account.erased}'
  WHERE consumer = 'notifier-erased-addresses';

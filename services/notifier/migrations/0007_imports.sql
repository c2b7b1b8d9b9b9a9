-- A file of subscribers comes in batches.

UPDATE outbox_consumer SET kinds = array_append(kinds, 'subscriber.imported')
  WHERE consumer = 'notifier-audiences';

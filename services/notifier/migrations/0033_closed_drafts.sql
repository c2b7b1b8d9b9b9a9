-- Messages about drafts that are vetoed or closed are cancelled.

UPDATE outbox_consumer SET kinds = array_append(kinds, 'incident-draft.closed')
  WHERE consumer = 'notifier-named-events';

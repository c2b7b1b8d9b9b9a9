-- Mail that asks to verify the address of a new account; its token travels sealed.

UPDATE outbox_consumer SET kinds = array_append(kinds, 'account.verification-requested')
  WHERE consumer = 'notifier-accounts';

DROP INDEX fanouts_sealed;
CREATE INDEX fanouts_sealed ON fanouts (event_id)
  WHERE kind IN ('account.invited', 'account.reset-requested', 'account.verification-requested',
    'subscriber.confirmation-requested');

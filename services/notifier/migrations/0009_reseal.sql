-- What a former key has sealed is sealed anew, in all organizations.

GRANT SELECT (webhook_secret, previous_webhook_secret, manage_token),
  UPDATE (webhook_secret, previous_webhook_secret, manage_token) ON destinations TO notifier_due;

GRANT SELECT (organization_id, id, type, config), UPDATE (config) ON notification_channels TO notifier_due;
CREATE POLICY due ON notification_channels TO notifier_due USING (true);

GRANT SELECT (kind, aggregate_id, payload), UPDATE (payload) ON fanouts TO notifier_due;
-- The few events that bring something sealed along.
CREATE INDEX fanouts_sealed ON fanouts (event_id)
  WHERE kind IN ('account.invited', 'account.reset-requested', 'subscriber.confirmation-requested');

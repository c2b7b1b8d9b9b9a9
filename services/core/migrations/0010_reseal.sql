-- What a former key has sealed is sealed anew, in all organizations.

GRANT SELECT (organization_id, id, endpoint), UPDATE (endpoint) ON components TO core_due;
CREATE POLICY due ON components TO core_due USING (true);
GRANT SELECT (webhook_secret, previous_webhook_secret, manage_token),
  UPDATE (webhook_secret, previous_webhook_secret, manage_token) ON subscribers TO core_due;
GRANT SELECT (webhook_secret), UPDATE (webhook_secret) ON subscriber_confirmations TO core_due;

-- Questions to addresses, secrets in rotation, and telling core who was told something.

ALTER TABLE destinations
  -- Signs along until then; sealed as the other one.
  ADD COLUMN previous_webhook_secret text,
  ADD COLUMN previous_webhook_secret_until timestamptz(3),
  -- Of the last notification, until core has been told of it.
  ADD COLUMN unsummarised_at timestamptz(3);
CREATE INDEX destinations_unsummarised ON destinations (unsummarised_at) WHERE unsummarised_at IS NOT NULL;

GRANT SELECT (unsummarised_at), UPDATE (unsummarised_at) ON destinations TO notifier_due;
CREATE POLICY due_summary ON destinations FOR UPDATE TO notifier_due USING (true) WITH CHECK (true);

INSERT INTO outbox_consumer (consumer, kinds) VALUES
  ('notifier-confirmations', '{subscriber.confirmation-requested}');

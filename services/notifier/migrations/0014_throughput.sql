-- Deliveries by the batch: rows that cost less to write, and what the crossing role needs to work many
-- organizations' deliveries in one statement.

-- Checked once a row, by a query and a lock in the other table each: half of what a fan-out cost. The
-- statement that makes deliveries reads both; destinations are never deleted, an event goes after its last
-- delivery, and attempts are deleted with theirs (`forgetFinished`).
ALTER TABLE delivery_attempts DROP CONSTRAINT delivery_attempts_organization_id_delivery_id_fkey;
ALTER TABLE deliveries
  DROP CONSTRAINT deliveries_organization_id_destination_id_fkey,
  DROP CONSTRAINT deliveries_organization_id_event_id_fkey,
  -- The primary key finds the row, and the key below holds the organization.
  DROP CONSTRAINT deliveries_organization_id_id_key,
  DROP CONSTRAINT deliveries_event_id_destination_id_key,
  ADD UNIQUE (organization_id, event_id, destination_id);

-- One index for what is open at a destination, by lane.
DROP INDEX deliveries_lane;
DROP INDEX deliveries_waiting;
CREATE INDEX deliveries_open ON deliveries (destination_id, lane, lane_seq)
  WHERE state IN ('pending', 'sending');
DROP INDEX deliveries_finished;
CREATE INDEX deliveries_finished ON deliveries (finished_at) WHERE finished_at IS NOT NULL;

-- A batch charges a limit once.
ALTER TABLE rate_hits ADD COLUMN hits int NOT NULL DEFAULT 1;
GRANT INSERT ON rate_hits TO notifier_due;

GRANT SELECT (covers, body, deferrals), UPDATE (deferrals, lane, body) ON deliveries TO notifier_due;
GRANT SELECT (address, state_reason, user_id, previous_webhook_secret_until, fail_streak, first_fail_at, last_ok_at),
  UPDATE (blocked_until, fail_streak, first_fail_at, last_ok_at, updated_at) ON destinations TO notifier_due;
GRANT SELECT (event_id, organization_id, aggregate_version) ON fanouts TO notifier_due;
GRANT SELECT (name, message_template), UPDATE (last_delivery_at, last_delivery_status)
  ON notification_channels TO notifier_due;
CREATE POLICY due_record ON delivery_attempts TO notifier_due USING (true) WITH CHECK (true);
GRANT SELECT, UPDATE, DELETE ON delivery_attempts TO notifier_due;
CREATE POLICY due ON organizations FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, id, name, notification_limits) ON organizations TO notifier_due;
CREATE POLICY due ON components FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, id, is_muted) ON components TO notifier_due;
CREATE POLICY due ON sms_opt_outs FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, channel_id, phone) ON sms_opt_outs TO notifier_due;
CREATE POLICY due ON audiences FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, destination_id, status_page_id) ON audiences TO notifier_due;
CREATE POLICY due ON pages FOR SELECT TO notifier_due USING (true);
GRANT SELECT (organization_id, id, locale, is_deleted) ON pages TO notifier_due;

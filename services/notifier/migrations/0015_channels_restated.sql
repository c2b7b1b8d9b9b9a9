-- Escalations may name channels from now on, and those that were made before nobody was told of: each
-- channel is stated once more, at its next version.

ALTER TABLE notification_channels NO FORCE ROW LEVEL SECURITY;
WITH restated AS (UPDATE notification_channels SET version = version + 1
  RETURNING organization_id, id, name, type, version)
INSERT INTO outbox (event_id, organization_id, aggregate_type, aggregate_id, aggregate_version, kind,
  subject, payload)
SELECT gen_random_uuid(), organization_id, 'notification-channel', id, version,
  'notification-channel.updated', 'events.notification-channel.updated.' || organization_id,
  jsonb_build_object('channel', jsonb_build_object('id', id, 'name', name, 'type', type))
FROM restated;
ALTER TABLE notification_channels FORCE ROW LEVEL SECURITY;

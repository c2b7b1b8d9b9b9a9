-- The notifier keeps members too from now on: each membership is stated once more, at its next version.

ALTER TABLE memberships NO FORCE ROW LEVEL SECURITY;
WITH restated AS (UPDATE memberships SET version = version + 1
  RETURNING organization_id, id, user_id, role, version)
INSERT INTO outbox (event_id, organization_id, aggregate_type, aggregate_id, aggregate_version, kind,
  subject, payload)
SELECT gen_random_uuid(), m.organization_id, 'member', m.id, m.version, 'member.updated',
  'events.member.updated.' || m.organization_id,
  jsonb_build_object('member', jsonb_build_object('userId', m.user_id, 'email', u.email,
    'name', u.name, 'role', m.role))
FROM restated m JOIN users u ON u.id = m.user_id;
ALTER TABLE memberships FORCE ROW LEVEL SECURITY;

-- Others keep more of components and pages than they once did, and older statements about them are forgotten:
-- each is stated once more, at its next version.

ALTER TABLE components NO FORCE ROW LEVEL SECURITY;
WITH RECURSIVE above AS (
  SELECT organization_id, id, parent_component_id AS above_id, 1 AS distance FROM components
  WHERE parent_component_id IS NOT NULL
  UNION ALL
  SELECT a.organization_id, a.id, c.parent_component_id, a.distance + 1
  FROM above a JOIN components c ON c.organization_id = a.organization_id AND c.id = a.above_id
  WHERE c.parent_component_id IS NOT NULL AND a.distance < 10),
chains AS (
  SELECT organization_id, id, jsonb_agg(above_id ORDER BY distance) AS ids FROM above GROUP BY 1, 2),
restated AS (UPDATE components SET version = version + 1 RETURNING *)
INSERT INTO outbox (event_id, organization_id, aggregate_type, aggregate_id, aggregate_version, kind,
  subject, payload)
SELECT gen_random_uuid(), c.organization_id, 'component', c.id, c.version, 'component.updated',
  'events.component.updated.' || c.organization_id,
  jsonb_build_object('component', jsonb_build_object('id', c.id, 'name', c.name, 'type', c.type,
    'isEnabled', c.is_enabled, 'isMuted', c.is_muted, 'parentComponentId', c.parent_component_id,
    'ancestorIds', coalesce(chains.ids, '[]'),
    'endpoint', c.endpoint::jsonb - 'autoCreateIncident' - 'autoResolve'))
FROM restated c LEFT JOIN chains ON chains.organization_id = c.organization_id AND chains.id = c.id;
ALTER TABLE components FORCE ROW LEVEL SECURITY;

-- A phone that had sent STOP may say START.
UPDATE outbox_consumer SET kinds = array_append(kinds, 'subscriber.resubscribed')
  WHERE consumer = 'core-subscribers';

/** A fan-out to more destinations than one transaction may hold. */
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { created, hook, incident, opened, stage, updated } from '../stage.fixture.ts'

const MANY = 21_000

t.test('every destination has one delivery, which the next update replaces', async (t) => {
  const { publish, drain, admin, organizationId } = await stage(t)
  const target = await httpTarget(t)
  await publish(created(hook(target)))
  await drain()
  await admin`
    INSERT INTO notifier.destinations
      (id, organization_id, subscriber_id, type, address, state, version)
    SELECT notifier.new_id(), ${organizationId}, gen_random_uuid(), 'email', n || '@example.com', 'active', 1
    FROM generate_series(1, ${MANY}) n`
  await admin`
    INSERT INTO notifier.audiences (organization_id, destination_id, events, component_ids)
    SELECT organization_id, id, '{incident.created,incident.updated}', '{}'
    FROM notifier.destinations WHERE type = 'email'`
  const news = incident()
  await publish(opened(news))
  await drain()
  const counted = () => admin`
    SELECT count(*)::int AS rows, count(DISTINCT destination_id)::int AS destinations
    FROM notifier.deliveries WHERE state = 'pending'`
  t.match(await counted(), [{ rows: MANY + 1, destinations: MANY + 1 }])
  t.match(
    await admin`SELECT count(*)::int AS receipts FROM notifier.inbox i
    JOIN notifier.fanouts f USING (event_id) WHERE i.consumer = 'notifier-deliveries'`,
    [{ receipts: 1 }],
  )
  await admin`UPDATE notifier.deliveries SET created_at = now() - interval '2 minutes'`
  await publish(updated(news, 2))
  await drain()
  t.match(
    await admin`SELECT state, reason, count(*)::int AS rows FROM notifier.deliveries
      GROUP BY state, reason ORDER BY state`,
    [
      { state: 'pending', reason: null, rows: MANY + 2 },
      { state: 'superseded', reason: 'newer_update', rows: MANY },
    ],
  )
})

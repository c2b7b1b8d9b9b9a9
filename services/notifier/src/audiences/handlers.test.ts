/**
 * The copies of subscribers are updated by single events and by imports; older versions are
 * ignored.
 */
import {
  draftEvent,
  type SubscriberEventData,
  subscriberDeleted,
  subscriberImported,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import {
  changed,
  created,
  incident,
  opened,
  stage,
  subscriber,
} from '../deliveries/stage.fixture.ts'

const reader = (change: Partial<SubscriberEventData> = {}) =>
  subscriber({ type: 'email', email: `${newId()}@example.com`, ...change })

const imported = (...facts: [SubscriberEventData, number][]) =>
  draftEvent(
    subscriberImported,
    { id: newId(), version: 1 },
    { subscribers: facts.map(([fact, version]) => ({ subscriber: fact, version })) },
  )

t.test('a subscriber imported before the incident is notified', async (t) => {
  const { publish, deliver, smtp } = await stage(t)
  const [one, other] = [reader(), reader({ events: ['incident.resolved'] })]
  await publish(imported([one, 1], [other, 1]), opened(incident()))
  await deliver()
  t.same(
    smtp.mails.map(({ to }) => to),
    [[one.email]],
  )
})

t.test('an older version in an import changes nothing', async (t) => {
  const { publish, drain, admin } = await stage(t)
  const [left, gone, scoped] = [reader({ status: 'unsubscribed' }), reader(), reader()]
  const componentIds = [newId()]
  await publish(
    changed(left, 2),
    draftEvent(subscriberDeleted, { id: gone.id, version: 2 }, { subscriber: gone }),
    created(scoped),
  )
  await drain()
  await publish(
    imported([{ ...left, status: 'active' }, 1], [gone, 1], [{ ...scoped, componentIds }, 2]),
  )
  await drain()
  const rows = await admin`SELECT subscriber_id, state, component_ids FROM notifier.destinations d
    LEFT JOIN notifier.audiences a ON a.destination_id = d.id`
  const standing = new Map(rows.map((row) => [row.subscriber_id, [row.state, row.component_ids]]))
  t.same(standing.get(left.id), ['unsubscribed', []])
  t.same(standing.get(gone.id), ['deleted', null])
  t.same(standing.get(scoped.id), ['active', componentIds])
})

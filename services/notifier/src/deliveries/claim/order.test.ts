/** Messages to one destination are sent in the order in which their events were created. */
import { draftEvent, incidentDeleted } from '@status-page/contracts'
import { type HttpTarget, httpTarget } from '@status-page/testing'
import t from 'tap'
import { created, generous, hook, incident, opened, stage, updated } from '../stage.fixture.ts'

const titlesAt = (target: HttpTarget) =>
  target.requests.map(({ body }) => JSON.parse(body).incident.title)

t.test('deferred messages are sent oldest first and before newer ones', async (t) => {
  const { publish, deliver, passMinute } = await stage(t, { ...generous, webhookPerSubscriber: 2 })
  const target = await httpTarget(t)
  const open = async (title: string) => {
    await publish(opened(incident({ title })))
    await deliver()
  }
  await publish(created(hook(target)))
  const titles = Array.from({ length: 7 }, (_none, n) => `Case ${n}`)
  for (const title of titles) await open(title)
  const newer = ['Newer 0', 'Newer 1', 'Newer 2']
  for (const title of newer) {
    await passMinute()
    await open(title)
  }
  for (let minute = 0; minute < 3; minute++) {
    await passMinute()
    await deliver()
  }
  t.same(titlesAt(target), [...titles, ...newer])
})

t.test('messages of one address keep the order of their events, whatever their kind', async (t) => {
  const { publish, deliver, passMinute } = await stage(t, { ...generous, webhookPerSubscriber: 2 })
  const target = await httpTarget(t)
  const titles = Array.from({ length: 8 }, (_none, n) => `Case ${n}`)
  const events = titles.map((title, n) => {
    const one = incident({ title })
    return n % 2 === 0 ? opened(one) : updated(one, 2)
  })
  await publish(created(hook(target)), ...events)
  for (let minute = 0; minute < 4; minute++) {
    await deliver()
    await passMinute()
  }
  t.same(titlesAt(target), titles)
})

t.test(
  'several replicas send in the order of events that handlers finished in another',
  async (t) => {
    const { publish, drain, startReplica, passMinute, admin } = await stage(t, {
      ...generous,
      webhookPerSubscriber: 3,
    })
    const targets = [await httpTarget(t), await httpTarget(t)]
    const titles = Array.from({ length: 9 }, (_none, n) => `Case ${n}`)
    await publish(...targets.map((target) => created(hook(target))))
    await publish(...titles.map((title) => opened(incident({ title }))))
    await drain()
    // The order of creation of a delivery is that of its handler, up to seconds after the event.
    await admin`UPDATE notifier.deliveries d SET created_at = d.created_at - late.position * interval '1 s'
    FROM (SELECT id, row_number() OVER (ORDER BY event_id) AS position
      FROM notifier.deliveries) late WHERE late.id = d.id`
    const replicas = [startReplica(), startReplica(), startReplica()]
    for (let minute = 0; minute < 3; minute++) {
      await Promise.all(replicas.map(({ send }) => send()))
      await passMinute()
    }
    for (const target of targets) t.same(titlesAt(target), titles)
  },
)

t.test('a newer message does not overtake a deferred one when the limit has room', async (t) => {
  const { publish, deliver, passMinute } = await stage(t, { ...generous, webhookPerSubscriber: 2 })
  const target = await httpTarget(t)
  const incidents = Array.from({ length: 6 }, (_none, n) => incident({ title: `Case ${n}` }))
  await publish(created(hook(target)), ...incidents.map((one) => opened(one)))
  await deliver()
  // Leaves the second minute without messages, while the third has two.
  for (const one of incidents.slice(2, 4)) {
    await publish(draftEvent(incidentDeleted, { id: one.id, version: 2 }, { incident: one }))
  }
  await passMinute()
  await publish(opened(incident({ title: 'Newer' })))
  await deliver()
  await passMinute()
  await deliver()
  t.same(titlesAt(target), ['Case 0', 'Case 1', 'Case 4', 'Case 5', 'Newer'])
})

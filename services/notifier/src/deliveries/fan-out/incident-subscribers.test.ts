/** Subscribers to one incident get its events alone, each once, and nothing after their end. */
import { draftEvent, subscriberDeleted } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import {
  changed,
  created,
  incident,
  opened,
  resolved,
  stage,
  subscriber,
  updated,
} from '../stage.fixture.ts'

const EVENTS = ['incident.created', 'incident.updated', 'incident.resolved'] as const

const scene = async (t: Parameters<typeof stage>[0]) => {
  const kit = await stage(t)
  const page = newId()
  const one = incident({ statusPageIds: [page] })
  const follower = (email: string, change: Parameters<typeof subscriber>[0] = {}) =>
    subscriber({
      type: 'email',
      email,
      events: [...EVENTS],
      statusPageId: page,
      incidentId: one.id,
      ...change,
    })
  /** Receivers of the mails since the last call. */
  const receivers = async () => {
    await kit.deliver()
    return kit.smtp.mails
      .splice(0)
      .flatMap(({ to }) => to)
      .sort()
  }
  return { ...kit, page, one, follower, receivers }
}

t.test('a follower gets the updates of the incident and of no other', async (t) => {
  const { publish, page, one, follower, receivers } = await scene(t)
  const other = incident({ statusPageIds: [page] })
  await publish(opened(one))
  await receivers()
  await publish(created(follower('ana@example.com')), opened(other))
  t.same(await receivers(), [])
  await publish(updated(one, 2), updated(other, 2))
  t.same(await receivers(), ['ana@example.com'])
  await publish(resolved(one, 3), resolved(other, 3))
  t.same(await receivers(), ['ana@example.com'])
})

t.test('an incident that its page no longer shows is not sent', async (t) => {
  const { publish, one, follower, receivers } = await scene(t)
  await publish(opened(one), created(follower('ana@example.com')))
  await receivers()
  await publish(updated({ ...one, statusPageIds: [newId()] }, 2))
  t.same(await receivers(), [])
})

t.test('a subscriber of the page who follows an incident gets one message', async (t) => {
  const { publish, page, one, follower, receivers } = await scene(t)
  const whole = (email: string, events: (typeof EVENTS)[number][]) =>
    created(subscriber({ type: 'email', email, events, statusPageId: page }))
  await publish(
    whole('ana@example.com', [...EVENTS]),
    whole('ben@example.com', ['incident.created', 'incident.resolved']),
    created(follower('ana@example.com')),
    created(follower('ben@example.com')),
    opened(one),
  )
  t.same(await receivers(), ['ana@example.com', 'ben@example.com'])
  await publish(updated(one, 2))
  t.same(await receivers(), ['ana@example.com', 'ben@example.com'], 'ben follows the incident')
  await publish(resolved(one, 3))
  t.same(await receivers(), ['ana@example.com', 'ben@example.com'])
})

t.test('a follower who confirms during the incident is notified from then on', async (t) => {
  const { publish, one, follower, receivers } = await scene(t)
  const waiting = follower('ana@example.com', { status: 'unconfirmed' })
  await publish(opened(one), created(waiting), updated(one, 2))
  t.same(await receivers(), [])
  // In one batch: the fan-out first handles the events of subscribers that are missing.
  await publish(changed({ ...waiting, status: 'active' }, 2), updated(one, 3))
  t.same(await receivers(), ['ana@example.com'])
})

t.test('the deletion that ends a subscription leaves the delivered messages', async (t) => {
  const { publish, one, follower, receivers, rows } = await scene(t)
  const ana = follower('ana@example.com')
  await publish(opened(one))
  await receivers()
  await publish(created(ana), resolved(one, 2))
  t.same(await receivers(), ['ana@example.com'])
  await publish(
    draftEvent(subscriberDeleted, { id: ana.id, version: 2 }, { subscriber: ana }),
    updated(one, 3),
  )
  t.same(await receivers(), [])
  t.match(await rows(), [{ state: 'delivered' }])
})

t.test('an event that catches up is sent to those without a notification', async (t) => {
  const { publish, one, receivers } = await scene(t)
  const [host, api] = [newId(), newId()]
  const about = (...ids: string[]) => ({
    ...one,
    components: ids.map((id) => {
      return { id, name: id, status: 'major_outage' as const, isMuted: false, ancestorIds: [] }
    }),
  })
  const reader = (email: string, ...componentIds: string[]) =>
    created(subscriber({ type: 'email', email, events: ['incident.created'], componentIds }))
  await publish(
    reader('all@example.com'),
    reader('host@example.com', host),
    reader('api@example.com', api),
    reader('other@example.com', newId()),
    opened(about(host)),
  )
  t.same(await receivers(), ['all@example.com', 'host@example.com'])
  await publish(updated({ ...about(host, api), isCatchUp: true }, 2))
  t.same(await receivers(), ['api@example.com'])
  await publish(updated({ ...about(host, api), isCatchUp: true }, 3))
  t.same(await receivers(), [])
})

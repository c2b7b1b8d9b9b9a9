/** Summaries report each notified subscriber once, with the time of the last message. */
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { created, hook, incident, opened, stage } from '../stage.fixture.ts'

t.test('a subscriber with several messages is reported once, with the latest time', async (t) => {
  const { publish, deliver, summarise, admin } = await stage(t)
  const target = await httpTarget(t)
  const [one, other] = [hook(target), hook(target)]
  await publish(created(one), opened(incident()))
  await deliver()
  await publish(created(other), opened(incident()))
  await deliver()
  const [last] = await admin`
    SELECT max(finished_at) AS at, count(*)::int AS count FROM notifier.deliveries
    WHERE state = 'delivered'`
  t.equal(last?.count, 3)
  await summarise()
  await summarise()
  const summaries = await admin`
    SELECT payload FROM notifier.outbox WHERE kind = 'delivery.summarised'`
  t.equal(summaries.length, 1)
  const lastNotifiedAt = last?.at.toISOString()
  t.same(
    sortedById(summaries[0]?.payload.subscribers),
    sortedById([one, other].map(({ id }) => ({ id, lastNotifiedAt }))),
  )
})

const sortedById = (subscribers: readonly { id: string }[]) =>
  subscribers.toSorted((left, right) => (left.id < right.id ? -1 : 1))

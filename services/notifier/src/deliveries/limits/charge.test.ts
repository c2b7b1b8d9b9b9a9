/** Limits admit part of a batch and give the rest a time of retry. */
import { asWorkerRaw, newId } from '@status-page/postgres'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { allocateRequests, chargeRateLimits, refundCharges } from './charge.ts'
import { globalRateKey } from './rate.ts'

const own = (key: string, max: number) => ({ key, max })
const all = (max: number) => ({ key: globalRateKey, max })

t.test(
  'the first deliveries of a batch are admitted, each charged to all of its limits or to none',
  async (t) => {
    const requests = [own('a', 1), own('a', 1), own('b', 1), own('c', 1)].map((key) => ({
      keys: [key, all(2)],
    }))
    const { refusals, taken } = allocateRequests(requests, [
      ...['a', 'b', 'c'].map((name) => ({ ...own(name, 1), used: 0, leaving: [] })),
      { ...all(2), used: 0, leaving: [] },
    ])
    t.same(
      refusals.map((refusal) => refusal?.key ?? null),
      [null, 'a', null, globalRateKey],
    )
    t.same(
      [...taken],
      [
        ['a', 1],
        [globalRateKey, 2],
        ['b', 1],
      ],
    )
  },
)

t.test('each deferred message gets its own time', async (t) => {
  const requests = Array.from({ length: 6 }, () => ({ keys: [all(3)] }))
  const bucket = { ...all(3), used: 2, leaving: [[2, 10_000]] as const }
  const { refusals } = allocateRequests(requests, [bucket])
  t.same(
    refusals.map((refusal) => refusal?.waitMs ?? null),
    [null, 10_000, 10_000, 60_000, 70_000, 70_000],
  )
  t.equal(refusals[5]?.freeMs, 10_000)
})

t.test('a lowered limit admits no message before enough hits have expired', async (t) => {
  const bucket = { ...all(2), used: 5, leaving: [[4, 1_000] as const, [1, 9_000] as const] }
  const { refusals } = allocateRequests([{ keys: [all(2)] }, { keys: [all(2)] }], [bucket])
  t.same(
    refusals.map((refusal) => refusal?.waitMs),
    [1_000, 9_000],
  )
})

t.test('two replicas together do not exceed the limit', async (t) => {
  const databases = await testDatabase(t, { services: ['notifier'] })
  const replicas = await Promise.all([databases.connect('notifier'), databases.connect('notifier')])
  const requests = Array.from({ length: 4 }, () => ({ keys: [own(newId(), 5), all(10)] }))
  const batches = await Promise.all(
    Array.from({ length: 6 }, (_none, turn) =>
      asWorkerRaw(replicas[turn % 2] as (typeof replicas)[0], (systemScope) =>
        chargeRateLimits(systemScope, requests),
      ),
    ),
  )
  const refusals = batches.flatMap((batch) => batch.refusals)
  t.equal(refusals.filter((refusal) => refusal === null).length, 10)
  for (const refusal of refusals.filter((one) => one !== null)) {
    t.ok(refusal.freeMs > 0 && refusal.freeMs <= 60_000)
  }
})

t.test('unsent messages are refunded at once to the minute of their charge', async (t) => {
  const databases = await testDatabase(t, { services: ['notifier'] })
  const notifier = await databases.connect('notifier')
  const id = newId()
  const requests = Array.from({ length: 4 }, () => ({ keys: [own(id, 5), all(4)] }))
  const chargeAll = () =>
    asWorkerRaw(notifier, (systemScope) => chargeRateLimits(systemScope, requests))
  const allowed = async () =>
    (await chargeAll()).refusals.filter((refusal) => refusal === null).length
  const { at, refusals } = await chargeAll()
  t.ok(refusals.every((refusal) => refusal === null))
  t.equal(await allowed(), 0)
  await asWorkerRaw(notifier, (systemScope) =>
    refundCharges(
      systemScope,
      requests.slice(0, 3).map(({ keys }) => ({ at, keys })),
    ),
  )
  t.equal(await allowed(), 3)
  t.equal(await allowed(), 0)
  const [left] = await notifier.batchSql`
    SELECT count(DISTINCT at)::int AS times, sum(hits)::int AS hits,
      (SELECT sum(hits)::int FROM rate_hits WHERE key = ${globalRateKey} AND at = ${at}::timestamptz) AS first
    FROM rate_hits WHERE key = ${globalRateKey}`
  t.match(left, { times: 2, hits: 4, first: 1 }, 'nothing of the first charge remains')
})

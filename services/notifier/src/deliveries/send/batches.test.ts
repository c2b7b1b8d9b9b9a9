/** Deliveries are processed in batches, and one that fails does not affect the others. */
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { globalRateKey } from '../limits/rate.ts'
import { created, generous, hook, incident, opened, stage } from '../stage.fixture.ts'

t.test('successes of a batch are recorded together', async (t) => {
  const { publish, deliver, rows, admin } = await stage(t)
  const target = await httpTarget(t)
  const many = Array.from({ length: 40 }, () => created(hook(target)))
  await publish(...many, opened(incident()))
  await deliver()
  t.equal(target.requests.length, many.length)
  t.ok((await rows()).every(({ state }) => state === 'delivered'))
  const [written] = await admin`
    SELECT count(DISTINCT xmin::text)::int AS transactions FROM notifier.deliveries`
  t.ok(written?.transactions < many.length / 2)
  t.match(
    await admin`SELECT count(delivered_started_at)::int AS attempts,
      min(delivered_attempt) AS number, min(delivered_status_code) AS status
      FROM notifier.deliveries`,
    [{ attempts: many.length, number: 1, status: 200 }],
  )
})

t.test(
  'a delivery whose secret cannot be decrypted stays leased, and the others are sent',
  async (t) => {
    const { publish, deliver, rows } = await stage(t)
    const target = await httpTarget(t)
    const broken = hook(target, { webhookSecret: 'not sealed by anybody' })
    await publish(created(hook(target)), created(broken), created(hook(target)), opened(incident()))
    await deliver()
    t.equal(target.requests.length, 2)
    t.same((await rows()).map(({ state }) => state).sort(), ['delivered', 'delivered', 'sending'])
  },
)

t.test('a delivery of a kind without a message ends, and the others are sent', async (t) => {
  const { publish, drain, send, rows, admin } = await stage(t)
  const target = await httpTarget(t)
  await publish(created(hook(target)), opened(incident()), opened(incident()))
  await drain()
  const [first, second] = await admin`SELECT event_id FROM notifier.deliveries ORDER BY id`
  const setKind = (eventId: string, kind: string) => admin`
    UPDATE notifier.fanouts SET kind = ${kind}, payload = '{}' WHERE event_id = ${eventId}`
  const ended = { state: 'exhausted', reason: 'attempts' }
  const rowsOf = (eventId: string) =>
    admin`SELECT state, reason FROM notifier.deliveries WHERE event_id = ${eventId}`
  await setKind(first?.event_id, 'channel.test')
  await send()
  t.equal(target.requests.length, 1)
  t.match(await rowsOf(first?.event_id), [ended])
  t.match(await rowsOf(second?.event_id), [{ state: 'delivered' }])
  await setKind(second?.event_id, 'account.unknown')
  await admin`UPDATE notifier.destinations SET kind = 'user', subscriber_id = NULL,
    user_id = gen_random_uuid()`
  await admin`UPDATE notifier.deliveries SET state = 'pending', reason = NULL, finished_at = NULL
    WHERE event_id = ${second?.event_id}`
  await send()
  t.match(await rows(), [ended, ended])
})

t.test(
  'an exhausted limit of a subscriber defers all its deliveries, each to its own time',
  async (t) => {
    const { publish, deliver, rows, admin } = await stage(t, {
      ...generous,
      webhookPerSubscriber: 2,
    })
    const target = await httpTarget(t)
    const incidents = Array.from({ length: 9 }, () => opened(incident()))
    await publish(created(hook(target)), ...incidents)
    await deliver()
    t.equal(target.requests.length, 2)
    const waiting = (await rows()).filter(({ state }) => state === 'pending')
    t.equal(waiting.length, 7)
    t.match(
      waiting,
      waiting.map(() => ({ reason: 'rate_limit', attempts: 0, deferrals: 1 })),
    )
    const [spread] = await admin`
    SELECT max(next_attempt_at) > now() + interval '3 minutes' AS is_late,
      min(next_attempt_at) < now() + interval '61 seconds' AS is_early
    FROM notifier.deliveries WHERE state = 'pending'`
    t.match(spread, { is_early: true, is_late: true })
  },
)

t.test('slow receivers do not delay others at the same host', async (t) => {
  const { publish, drain, send, rows } = await stage(t)
  const { promise: released, resolve: release } = Promise.withResolvers<object>()
  const target = await httpTarget(t, ({ url }) => (url.startsWith('/hangs') ? released : {}))
  const maxSlow = Array.from({ length: 50 }, (_none, n) =>
    created(hook(target, { webhookUrl: `${target.url}/hangs/${n}` })),
  )
  const prompt = Array.from({ length: 50 }, () => created(hook(target)))
  await publish(...maxSlow, ...prompt, opened(incident()))
  await drain()
  const deliveryJob = send()
  const answered = () => target.requests.filter(({ url }) => !url.startsWith('/hangs')).length
  await eventually(() => answered() === prompt.length)
  release({})
  await deliveryJob
  t.ok((await rows()).every(({ state }) => state === 'delivered'))
})

t.test('deliveries that wait when a run is aborted are released and not sent', async (t) => {
  const { publish, drain, send, rows, admin } = await stage(t)
  const { promise: released, resolve: release } = Promise.withResolvers<object>()
  const target = await httpTarget(t, () => released)
  // The maximum of slow requests at one host, and some deliveries that wait for them.
  const [going, waiting] = [96, 24]
  const many = Array.from({ length: going + waiting }, () => created(hook(target)))
  await publish(...many, opened(incident()))
  await drain()
  const deliveryJob = send()
  await eventually(() => target.requests.length === going)
  await admin`REVOKE SELECT (worker) ON notifier.deliveries FROM status_page_notifier_due`
  await eventually(async () => (await rows()).some(({ state }) => state === 'pending'))
  release({})
  await t.rejects(deliveryJob)
  t.equal(target.requests.length, going)
  const left = (await rows()).filter(({ state }) => state !== 'delivered')
  t.equal(left.length, waiting)
  t.match(
    left,
    left.map(() => ({ state: 'pending', attempts: 0 })),
  )
  t.match(
    await admin`SELECT sum(hits)::int AS hits FROM notifier.rate_hits WHERE key = ${globalRateKey}`,
    [{ hits: going }],
    'and is not charged to a limit',
  )
})

/**
 * One message in flight per destination, one probe after a failure, and no waiting for unrelated
 * destinations.
 */
import { asWorker, newId } from '@status-page/postgres'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { NIL_UUID } from '../../tables.ts'
import { created, generous, hook, incident, opened, stage, subscriber } from '../stage.fixture.ts'
import { claimDueDeliveries } from './leases.ts'

const reader = (name: string) => subscriber({ type: 'email', email: `${name}@example.com` })

t.test('a failed endpoint gets no requests during its block, whatever its backlog', async (t) => {
  const { publish, deliver, skipWait, admin } = await stage(t)
  const target = await httpTarget(t, { status: 500 })
  await publish(created(hook(target)), opened(incident()), opened(incident()), opened(incident()))
  await deliver()
  t.equal(target.requests.length, 1)
  await skipWait()
  await deliver()
  t.equal(target.requests.length, 2, 'and then probed once')
  t.match(await admin`SELECT fail_streak FROM notifier.destinations`, [{ fail_streak: 2 }])
})

t.test('a slow receiver does not delay others', async (t) => {
  const { publish, drain, send, rows } = await stage(t)
  const { promise: released, resolve: release } = Promise.withResolvers<object>()
  const maxSlow = await httpTarget(t, () => released)
  const prompt = await httpTarget(t)
  await publish(created(hook(maxSlow)), opened(incident()))
  await drain()
  const deliveryJob = send()
  await eventually(() => maxSlow.requests.length === 1)
  await publish(created(hook(prompt)), opened(incident()))
  await drain()
  await eventually(() => prompt.requests.length === 1)
  release({})
  await deliveryJob
  t.match(
    (await rows()).map(({ state }) => state),
    ['delivered', 'delivered', 'delivered'],
  )
})

t.test('an unavailable mail server counts as one failure, and one mail probes it', async (t) => {
  let isUnavailable = true
  let requests = 0
  const answer = () => {
    requests++
    return isUnavailable ? '421 4.3.2 Shutting down' : null
  }
  const { publish, deliver, skipWait, smtp, admin, rows } = await stage(t, generous, {
    mail: answer,
  })
  const readers = ['a', 'b', 'c', 'd'].map(reader)
  await publish(...readers.map(created), opened(incident()))
  await deliver()
  t.match(await admin`SELECT fail_streak, reason FROM notifier.transports`, [
    { fail_streak: 1, reason: 'channel_blocked' },
  ])
  await skipWait()
  requests = 0
  await deliver()
  t.equal(requests, 1, 'one mail probes for all')
  t.match(await admin`SELECT fail_streak FROM notifier.transports`, [{ fail_streak: 2 }])
  isUnavailable = false
  await skipWait()
  await deliver()
  t.equal(smtp.mails.length, readers.length)
  t.ok((await rows()).every(({ state }) => state === 'delivered'))
  t.match(await admin`SELECT fail_streak, blocked_until FROM notifier.transports`, [
    { fail_streak: 0, blocked_until: null },
  ])
})

t.test('a probe that sends nothing unblocks the transport', async (t) => {
  const { publish, drain, send, admin } = await stage(t)
  await publish(created(reader('a')), opened(incident()))
  await drain()
  await admin`INSERT INTO notifier.transports (name, fail_streak) VALUES ('smtp', 1)`
  await admin`UPDATE notifier.destinations SET state = 'quarantined'`
  await send()
  t.match(await admin`SELECT blocked_until FROM notifier.transports`, [{ blocked_until: null }])
})

t.test('a refused login blocks all mail with a reason', async (t) => {
  let logins = 0
  const auth = () => {
    logins++
    return '535 5.7.8 Authentication failed'
  }
  const { publish, deliver, rows, admin, smtp } = await stage(t, generous, { auth })
  await publish(created(reader('a')), opened(incident()))
  await deliver()
  await publish(opened(incident()), opened(incident()))
  await deliver()
  t.equal(logins, 1)
  t.equal(smtp.mails.length, 0)
  t.match((await rows())[0], { state: 'pending', reason: 'channel_auth' })
  t.match(await admin`SELECT reason FROM notifier.transports`, [{ reason: 'channel_auth' }])
})

t.test('organizations are served in turn, whatever the backlog of one', async (t) => {
  const { publishIn, drain, notifier } = await stage(t)
  const target = await httpTarget(t)
  const organizations = [newId(), newId(), newId()]
  for (const one of organizations) {
    const subscribers = Array.from({ length: 5 }, () => created(hook(target)))
    await publishIn(one, ...subscribers, opened(incident()))
  }
  await drain()
  const served: string[] = []
  let after = NIL_UUID
  for (let turn = 0; turn < organizations.length; turn++) {
    const claim = {
      ...({ owner: newId(), worker: 'webhook', limit: 1, after } as const),
      isUnlimitedOnly: false,
      isRateLimited: () => false,
      deepOrganizationIds: [],
    }
    const { claimed, ...next } = await asWorker(notifier, (systemScope) =>
      claimDueDeliveries(systemScope, claim),
    )
    served.push(...claimed.map(({ organizationId }) => organizationId))
    after = next.after
  }
  t.same(served, organizations)
})

t.test('rate-limited organizations do not block others', async (t) => {
  const { publish, drain, notifier, admin, organizationId } = await stage(t)
  await publish(created(hook(await httpTarget(t))), opened(incident()))
  await drain()
  await admin`INSERT INTO notifier.deliveries
    SELECT copies.* FROM notifier.deliveries d, generate_series(1, 250) other,
      jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'organization_id',
        '00000000-0000-0000-0000-' || lpad(other::text, 12, '0'))) copies`
  const isRateLimited = (id: string) => id !== organizationId
  const claimAfter = (after: string) =>
    asWorker(notifier, (systemScope) =>
      claimDueDeliveries(systemScope, {
        ...({ owner: newId(), worker: 'webhook', limit: 10, after } as const),
        isUnlimitedOnly: false,
        isRateLimited,
        deepOrganizationIds: [],
      }),
    )
  const first = await claimAfter(NIL_UUID)
  t.same(first.claimed, [])
  const second = await claimAfter(first.after)
  t.match(second.claimed, [{ organizationId }])
})

t.test('a backlog without a transport costs one claim a minute', async (t) => {
  const { publish, deliver, skipWait, send, rows, admin } = await stage(t)
  const phones = ['+4915112345671', '+4915112345672', '+4915112345673']
  await publish(...phones.map((phone) => created(subscriber({ type: 'sms', phone }))))
  await publish(opened(incident()))
  await deliver()
  const deferred = async () =>
    (await rows()).filter(({ reason }) => reason === 'no_transport').length
  const looks = async () => {
    const [row] = await admin`SELECT sum(deferrals)::int AS looks FROM notifier.deliveries`
    return row?.looks
  }
  const first = await looks()
  t.ok(await deferred())
  await skipWait()
  await send()
  t.equal((await looks()) - first, 1)
  t.match(await admin`SELECT reason FROM notifier.transports`, [{ reason: 'no_transport' }])
})

/** Scheduled checks on a real Postgres against a local target, with a manual clock. */
import type { RunProbe } from '@status-page/probes'
import { eventually, httpTarget, LONG_LEASES, testDatabase } from '@status-page/testing'
import t from 'tap'
import {
  component,
  endpoint,
  monitorOf,
  pass,
  pickedUp,
  startReplica,
  successfulProbe,
} from '../monitor.fixture.ts'

const MINUTE = 60_000

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

t.test('a new target is checked at once, then at each of its slots, once', async (t) => {
  const { publishComponent, database, organizationId, clock, checksOf } = await monitorOf(t)
  const replica = await startReplica(t, database, clock)
  const target = await httpTarget(t)
  const api = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', api, 1)
  await eventually(() => replica.gauges().targets === 1)
  await pass(clock, [replica], 20)
  t.equal((await checksOf(api.id)).length, 1, 'at once')
  for (let minute = 0; minute < 3; minute += 1) await pass(clock, [replica], MINUTE)
  const stored = await checksOf(api.id)
  t.same(new Set(stored.map(({ status }) => status)), new Set(['SUCCESS']))
  t.equal(stored.length, target.requests.length)
  const gaps = stored.slice(1).map(({ slot_at }, index) => {
    return slot_at.getTime() - (stored[index]?.slot_at.getTime() ?? 0)
  })
  t.same(new Set(gaps), new Set([MINUTE]), 'every slot, none twice')
})

t.test(
  'down, slow and recovered are published once, backdated, together with the state',
  async (t) => {
    const { publishComponent, database, organizationId, clock, publishedEvents, sql } =
      await monitorOf(t)
    const target = await httpTarget(t, { status: 503 })
    const api = component({ name: 'Shop', endpoint: endpoint(target.url) })
    await publishComponent(organizationId, 'created', api, 1)
    const replica = await startReplica(t, database, clock)
    for (let minute = 0; minute < 5; minute += 1) await pass(clock, [replica], MINUTE)
    const [first] = await sql`SELECT min(checked_at) AS at FROM monitor.checks`
    t.match(await publishedEvents(), [
      {
        kind: 'monitor.down',
        payload: {
          monitor: {
            componentId: api.id,
            name: 'Shop',
            derivedStatus: 'major_outage',
            since: first?.at.toISOString(),
            reason: 'HTTP 503',
          },
        },
      },
    ])
    target.respond({ status: 200 })
    for (let minute = 0; minute < 4; minute += 1) await pass(clock, [replica], MINUTE)
    t.same(
      (await publishedEvents()).map(({ kind }) => kind),
      ['monitor.down', 'monitor.recovered'],
    )
    const [state] = await sql`SELECT derived_status, runs, revision FROM monitor.target_states`
    t.match(state, { derived_status: 'operational', runs: { good: [2] } })
    await pass(clock, [replica], 3 * MINUTE)
    const [later] = await sql`SELECT revision FROM monitor.target_states`
    t.equal(later?.revision, state?.revision, 'a healthy target writes no state')
    const [version] = (await publishedEvents()).slice(-1)
    t.ok((version?.aggregate_version ?? 0) <= state?.revision)
  },
)

t.test('two replicas share the targets and never check a slot twice', async (t) => {
  const { publishComponent, database, organizationId, clock, sql } = await monitorOf(t)
  const target = await httpTarget(t)
  for (let index = 0; index < 40; index += 1) {
    const url = `${target.url}/${index}`
    await publishComponent(organizationId, 'created', component({ endpoint: endpoint(url) }), 1)
  }
  const leases = { ...LONG_LEASES, renewMs: 100 }
  const first = await startReplica(t, database, clock, { leases })
  const second = await startReplica(t, database, clock, { leases })
  const replicas = [first, second]
  await eventually(() => replicas.every((replica) => replica.gauges().shards === 128))
  await eventually(() => first.gauges().targets + second.gauges().targets === 40)
  t.ok(first.gauges().targets > 0 && second.gauges().targets > 0, 'both replicas have targets')
  for (let minute = 0; minute < 3; minute += 1) await pass(clock, replicas, MINUTE)
  const twice = await sql`SELECT component_id FROM monitor.checks
    GROUP BY component_id, slot_at HAVING count(*) > 1`
  t.same(twice, [])
  const [stored] = await sql`SELECT count(*)::int AS checks FROM monitor.checks`
  t.equal(target.requests.length, stored?.checks, 'no request but for a stored check')
  t.ok(stored?.checks >= 3 * 40)

  await first.stop()
  await eventually(() => second.gauges().targets === 40)
  await pass(clock, [second], MINUTE)
  const [after] = await sql`SELECT count(DISTINCT component_id)::int AS targets FROM monitor.checks
    WHERE checked_at > ${new Date(clock.now() - MINUTE)}`
  t.equal(after?.targets, 40, 'the remaining replica takes over')
})

t.test('a check in flight during a handover of its shard is not repeated', async (t) => {
  const { publishComponent, database, organizationId, clock, checksOf } = await monitorOf(t)
  // Interval of one day, so that no further slot falls into this test.
  const daily = endpoint('http://a.example.com/', { checkInterval: 86_400 })
  const components = Array.from({ length: 8 }, () => component({ endpoint: daily }))
  for (const one of components) await publishComponent(organizationId, 'created', one, 1)
  const probed: string[] = []
  const gate = Promise.withResolvers<void>()
  const probe: RunProbe = async ({ componentId }) => {
    probed.push(componentId)
    await gate.promise
    return successfulProbe(clock.now())
  }
  // A long handover, so that checks in flight finish on a slow machine.
  const leases = { ...LONG_LEASES, renewMs: 100, handOverMs: 60_000 }
  const options = { leases, runProbe: probe }
  const first = await startReplica(t, database, clock, options)
  clock.advance(3000)
  await eventually(() => {
    // At most four checks per host run at once; the others start once these count as hanging.
    clock.advance(0)
    return probed.length === components.length
  })
  const second = startReplica(t, database, clock, options)
  await eventually(() => first.gauges().shards < 256)
  gate.resolve()
  const replicas = [first, await second]
  await eventually(() => replicas.every((replica) => replica.gauges().shards === 128))
  await eventually(() => first.gauges().targets + (replicas[1]?.gauges().targets ?? 0) === 8)
  await pass(clock, replicas, 2000)
  t.equal(probed.length, new Set(probed).size, 'each once')
  for (const { id } of components) t.equal((await checksOf(id)).length, 1)
})

t.test('changes of a target reach the replica that checks it', async (t) => {
  const { publishComponent, database, organizationId, clock } = await monitorOf(t)
  const target = await httpTarget(t)
  const replica = await startReplica(t, database, clock)
  const api = component({ endpoint: endpoint(target.url, { checkInterval: 86_400 }) })
  await publishComponent(organizationId, 'created', api, 1)
  await eventually(() => replica.gauges().targets === 1)
  await pass(clock, [replica], 20)
  const atFirst = target.requests.length

  const often = { ...api, endpoint: endpoint(`${target.url}/often`, { checkInterval: 10 }) }
  await publishComponent(organizationId, 'updated', often, 2)
  await pickedUp([replica])
  for (let slot = 0; slot < 3; slot += 1) await pass(clock, [replica], 10_000)
  t.ok(target.requests.length >= atFirst + 3)
  t.equal(target.requests.at(-1)?.url, '/often')

  await publishComponent(organizationId, 'updated', { ...often, isEnabled: false }, 3)
  await eventually(() => replica.gauges().targets === 0)
  const atLast = target.requests.length
  await pass(clock, [replica], 10 * MINUTE)
  t.equal(target.requests.length, atLast, 'a disabled one is not checked')

  await publishComponent(organizationId, 'updated', often, 4)
  await eventually(() => replica.gauges().targets === 1)
  await publishComponent(organizationId, 'deleted', often, 5)
  await eventually(() => replica.gauges().targets === 0)
})

t.test('a result under an expired lease is stored and changes no state', async (t) => {
  const { publishComponent, database, organizationId, clock, sql, publishedEvents, checksOf } =
    await monitorOf(t)
  const target = await httpTarget(t, { status: 500 })
  const one = endpoint(target.url, { failureThreshold: 1 })
  const api = component({ endpoint: one })
  const replica = await startReplica(t, database, clock, {
    leases: { ...LONG_LEASES, renewMs: 60_000 },
  })
  await publishComponent(organizationId, 'created', api, 1)
  await eventually(() => replica.gauges().targets === 1)
  await sql`UPDATE monitor.shard_lease SET epoch = epoch + 1, owner = NULL`
  await pass(clock, [replica], 20)
  t.equal((await checksOf(api.id)).length, 1)
  t.same(await publishedEvents(), [])
})

t.test('results wait while Postgres is unavailable, and none is lost', async (t) => {
  const { publishComponent, database, organizationId, clock, sql, checksOf } = await monitorOf(t)
  const target = await httpTarget(t)
  const api = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', api, 1)
  const replica = await startReplica(t, database, clock)
  await sql`REVOKE INSERT ON monitor.checks FROM status_page_monitor_due`
  for (let minute = 0; minute < 3; minute += 1) {
    await pass(clock, [replica], MINUTE).catch(() => undefined)
  }
  t.same(await checksOf(api.id), [])
  // Results of a write in flight are not buffered; its failure puts them back.
  const buffered = await eventually(() => {
    const count = replica.gauges().buffered
    return count >= 3 && count
  })
  await sql`GRANT INSERT ON monitor.checks TO status_page_monitor_due`
  await replica.flush()
  t.equal((await checksOf(api.id)).length, buffered)
  const [state] = await sql`SELECT runs FROM monitor.target_states`
  t.match(state?.runs, { good: [2] })
})

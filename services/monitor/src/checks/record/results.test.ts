/** Results of many organizations, and results that Postgres rejects, on a real server. */
import { newId } from '@status-page/postgres'
import { notMeasured, type Probed } from '@status-page/probes'
import { eventually, httpTarget, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  component,
  endpoint,
  localProbe,
  monitorOf,
  pass,
  startReplica,
} from '../../monitor.fixture.ts'

const MINUTE = 60_000

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

t.test('a response that is invalid text for Postgres is stored and delays no other', async (t) => {
  const { publishComponent, database, organizationId, clock, checksOf, sql } = await monitorOf(t)
  const rude = await httpTarget(t, { status: 200, body: '{"a":"\\u0000 \\ud800"}' })
  const polite = await httpTarget(t)
  const conditions = [{ type: 'JSON_PATH', comparator: 'EXISTS', target: '$.a' } as const]
  const bad = component({ endpoint: endpoint(rude.url, { conditions }) })
  const good = component({ endpoint: endpoint(polite.url) })
  await publishComponent(organizationId, 'created', bad, 1)
  await publishComponent(organizationId, 'created', good, 1)
  const replica = await startReplica(t, database, clock)
  await eventually(() => replica.gauges().targets === 2)
  await pass(clock, [replica], MINUTE)
  t.ok((await checksOf(good.id)).length > 0)
  const [row] = await sql`SELECT condition_results::jsonb->0->>3 AS actual FROM monitor.checks
    WHERE component_id = ${bad.id} LIMIT 1`
  t.same(row, { actual: '\ufffd \ufffd' })
})

t.test('a value or a row that Postgres rejects is dropped alone', async (t) => {
  const { publishComponent, database, organizationId, clock, checksOf } = await monitorOf(t)
  const target = await httpTarget(t)
  const urls = ['/a', '/b', '/bad', '/c', '/odd', '/d'].map((path) => `${target.url}${path}`)
  const fine = localProbe(clock.now)
  const dropped: string[] = []
  const replica = await startReplica(t, database, clock, {
    onSkipped: (reason, count) => dropped.push(...Array.from({ length: count }, () => reason)),
    runProbe: async (target) => {
      const result = await fine(target)
      if (result === null) return null
      if ((target as Probed<'http'>).probe.url.endsWith('/odd'))
        return { ...result, status: 'ODD'.repeat(11) as never }
      const isBad = (target as Probed<'http'>).probe.url.endsWith('/bad')
      return isBad ? { ...result, error: '\0' as never } : result
    },
  })
  const components = urls.map((url) => component({ endpoint: endpoint(url) }))
  for (const one of components) await publishComponent(organizationId, 'created', one, 1)
  await eventually(() => replica.gauges().targets === urls.length)
  await pass(clock, [replica], MINUTE)
  const stored = await Promise.all(components.map(({ id }) => checksOf(id)))
  t.same(
    stored.map((checks) => checks.length > 0),
    [true, true, false, true, false, true],
  )
  t.ok(dropped.includes('dropped'), 'and counted')
  t.equal(replica.gauges().buffered, 0)
})

/** Organizations with one endpoint each; all of them fail once `begin` is called. */
const outageOf = async (t: Test, count: number) => {
  const { publishComponent, database, clock, sql } = await monitorOf(t)
  const made = Array.from({ length: count }, (_none, index) => ({
    organizationId: newId(),
    api: component({
      endpoint: endpoint(`http://${index}.example.com/`, { failureThreshold: 1 }),
    }),
  }))
  for (const { organizationId, api } of made)
    await publishComponent(organizationId, 'created', api, 1)
  const outage = Promise.withResolvers<void>()
  const replica = await startReplica(t, database, clock, {
    runProbe: async () => {
      await outage.promise
      return { ...notMeasured, status: 'FAILURE', statusCode: 500, checkedAtMs: clock.now() }
    },
  })
  await eventually(() => replica.gauges().targets === count)
  clock.advance(MINUTE)
  await eventually(() => replica.gauges().inFlight === count)
  const downs = () => sql<{ organization_id: string; xmin: string }[]>`
    SELECT organization_id, xmin::text FROM monitor.outbox WHERE kind = 'monitor.down'`
  return { made, replica, sql, downs, begin: () => outage.resolve() }
}

t.test('a few transactions record an outage of many organizations', async (t) => {
  const { made, downs, begin } = await outageOf(t, 40)
  begin()
  await eventually(async () => (await downs()).length === made.length)
  const rows = await downs()
  t.same(
    new Set(rows.map((row) => row.organization_id)),
    new Set(made.map(({ organizationId }) => organizationId)),
  )
  t.ok(new Set(rows.map(({ xmin }) => xmin)).size <= made.length / 4)
})

t.test('an organization whose rows are locked delays the outage of no other', async (t) => {
  const { made, replica, sql, downs, begin } = await outageOf(t, 10)
  const [locked] = made
  await sql.begin(async (holder) => {
    await holder`SELECT FROM monitor.target_verdicts
      WHERE component_id = ${locked?.api.id ?? ''} FOR UPDATE`
    begin()
    await eventually(async () => (await downs()).length === made.length - 1)
  })
  await replica.flush()
  t.equal((await downs()).length, made.length)
})

t.test('a check on a day without a partition creates it', async (t) => {
  const { publishComponent, database, organizationId, clock, checksOf, sql } = await monitorOf(t)
  const target = await httpTarget(t)
  const skipped: string[] = []
  const replica = await startReplica(t, database, clock, {
    onSkipped: (reason) => skipped.push(reason),
  })
  const partitions = await sql<{ name: string }[]>`
    SELECT inhrelid::regclass::text AS name FROM pg_inherits
    WHERE inhparent = 'monitor.checks'::regclass`
  t.ok(partitions.length > 0)
  for (const { name } of partitions) await sql.unsafe(`DROP TABLE ${name}`)
  const one = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', one, 1)
  await eventually(() => replica.gauges().targets === 1)
  await pass(clock, [replica], MINUTE)
  t.equal((await checksOf(one.id)).length, 1)
  t.notOk(skipped.includes('dropped'))
})

t.test('an internal error affects only the result that caused it', async (t) => {
  const { publishComponent, database, organizationId, clock, checksOf } = await monitorOf(t)
  const [bad, good] = [await httpTarget(t, { status: 500 }), await httpTarget(t)]
  const fine = localProbe(clock.now)
  const replica = await startReplica(t, database, clock, {
    runProbe: async (target) => {
      const result = await fine(target)
      if (result === null) return null
      // An invalid time, which can be neither stored nor published.
      return (target as Probed<'http'>).probe.url === bad.url
        ? { ...result, checkedAtMs: Number.NaN }
        : result
    },
  })
  const components = [bad, good].map(({ url }) => component({ endpoint: endpoint(url) }))
  for (const one of components) await publishComponent(organizationId, 'created', one, 1)
  await eventually(() => replica.gauges().targets === 2)
  await pass(clock, [replica], MINUTE)
  const stored = await Promise.all(components.map(({ id }) => checksOf(id)))
  t.same(
    stored.map(({ length }) => length),
    [0, 1],
  )
  t.equal(replica.gauges().buffered, 0)
})

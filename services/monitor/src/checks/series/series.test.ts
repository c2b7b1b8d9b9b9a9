/**
 * Series of response times and lists of checks equal what was stored once their interval is over.
 */

import { checkOperations, systemActor } from '@status-page/contracts'
import { type Database, newId, read, transact } from '@status-page/postgres'
import { noTimings } from '@status-page/probes'
import { shardOf } from '@status-page/schedule'
import { serve } from '@status-page/service'
import { inject, testCaller, testDatabase, testKeys } from '@status-page/testing'
import t from 'tap'
import { component, endpoint, LOCATION, localProbe, setup } from '../../monitor.fixture.ts'
import { checkRowOf, insertChecks } from '../record/rows.ts'
import { checkRoutes } from '../routes.ts'
import { averageResponseTimes, listChecks, listPoints } from './history.ts'
import { rollUp, rollUpLate } from './rollups.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const MINUTE = 60_000
const HOUR = 60 * MINUTE
/** Two hours ago, on the hour. */
const START = Math.floor(Date.now() / HOUR) * HOUR - 2 * HOUR

interface Made {
  minute: number
  ms: number | null
  status?: 'SUCCESS' | 'FAILURE'
  madeMinute?: number
}

const world = async (t: Parameters<typeof setup>[0]) => {
  const { publishComponent, database } = await setup(t)
  const caller = testCaller()
  const organizationId = caller.organizationId as string
  const api = component({ endpoint: endpoint('http://a.example.com/') })
  await publishComponent(organizationId, 'created', api, 1)
  return { database, caller, organizationId, publishComponent, id: api.id }
}

/** Stores a check that ran at its slot unless a time is given. */
const store = (
  database: Database,
  target: { organizationId: string; componentId: string },
  made: readonly Made[],
  location = LOCATION,
) =>
  transact(
    database,
    { organizationId: target.organizationId, actor: systemActor },
    async (scope) => {
      for (const { minute, ms, status = 'SUCCESS', madeMinute = minute } of made) {
        const slotMs = START + minute * MINUTE
        const result = {
          status,
          statusCode: 200,
          responseMs: ms,
          error: null,
          conditionResults: [],
          checkedAtMs: START + madeMinute * MINUTE,
          timings: noTimings,
          certificateExpiresAt: null,
        }
        const when = { slotMs, location, trigger: 'schedule' } as const
        await insertChecks(scope, [checkRowOf(target, result, when)])
      }
      return { result: undefined }
    },
  )

const pointsOf = async (
  database: Database,
  { organizationId, componentId }: { organizationId: string; componentId: string },
  resolution: number,
) => {
  const series = { from: new Date(START), to: new Date(), resolution, location: undefined }
  const points = await read(database, organizationId, (scope) =>
    listPoints(scope, componentId, series),
  )
  return points.map((point) => {
    const minute = (Date.parse(point.timestamp) - START) / MINUTE
    const { checks, successes, average, p50, p95, p99 } = point
    return [minute, checks, successes, average, p50, p95, p99]
  })
}

t.test('five minutes and hours are one row each, from successful checks', async (t) => {
  const { database, organizationId, id } = await world(t)
  const target = { organizationId, componentId: id }
  const hundred = Array.from({ length: 100 }, (_, index) => ({
    minute: index / 100,
    ms: index + 1,
  }))
  await store(database, target, [
    ...hundred,
    { minute: 7, ms: 5000, status: 'FAILURE' },
    { minute: 12, ms: 40 },
    { minute: 61, ms: 30 },
  ])
  const shards = [shardOf(id)]
  await rollUp(database, { location: LOCATION, shards, until: START + 2 * HOUR })
  t.same(await pointsOf(database, target, 300), [
    [0, 100, 100, 51, 50, 95, 99],
    [5, 1, 0, null, null, null, null],
    [10, 1, 1, 40, 40, 40, 40],
    [60, 1, 1, 30, 30, 30, 30],
  ])
  t.same(await pointsOf(database, target, 3600), [
    [0, 102, 101, 50, 50, 95, 99],
    [60, 1, 1, 30, 30, 30, 30],
  ])
})

t.test('the running hour and the average count each check once, rolled up or not', async (t) => {
  const { database, organizationId, id } = await world(t)
  const target = { organizationId, componentId: id }
  const average = async () =>
    (await read(database, organizationId, (scope) => averageResponseTimes(scope, [id]))).get(id)
  const rollTo = (minute: number) =>
    rollUp(database, { location: LOCATION, shards: [shardOf(id)], until: START + minute * MINUTE })
  const now = 5 * Math.floor((Date.now() - START) / (5 * MINUTE))
  await rollTo(now - 20)
  await store(database, target, [
    { minute: now - 100, ms: 90 },
    { minute: now - 12, ms: 10 },
    { minute: now - 11, ms: 5000, status: 'FAILURE' },
    { minute: now - 1, ms: 20 },
  ])
  t.equal(await average(), 15, 'checks after the last roll-up are read one by one')
  for (const until of [now - 5, now]) {
    await rollTo(until)
    await rollTo(until)
    t.equal(await average(), 15)
  }
  while ((await rollUpLate(database, START + now * MINUTE)) > 0);
  t.equal(await average(), 40, 'a late check counts once it is rolled up')
  const points = await pointsOf(database, target, 3600)
  const sums = [1, 2].map((column) =>
    points.reduce((sum, point) => sum + Number(point[column] ?? 0), 0),
  )
  t.same(sums, [4, 3])
})

t.test('checks without a response time, such as heartbeats, have no average', async (t) => {
  const { database, organizationId, id } = await world(t)
  const target = { organizationId, componentId: id }
  await store(database, target, [{ minute: 7, ms: null }])
  await rollUp(database, { location: LOCATION, shards: [shardOf(id)], until: START + 2 * HOUR })
  t.same(await pointsOf(database, target, 3600), [[0, 1, 1, null, null, null, null]])
  const averages = await read(database, organizationId, (scope) =>
    averageResponseTimes(scope, [id]),
  )
  t.equal(averages.get(id), undefined)
})

t.test('after a pause of the monitor the last minutes before it are in the series', async (t) => {
  const { database, organizationId, id } = await world(t)
  const target = { organizationId, componentId: id }
  const stretch = { location: LOCATION, shards: [shardOf(id)] }
  const day = START + 24 * HOUR
  await rollUp(database, { ...stretch, until: START + HOUR })
  await store(database, target, [{ minute: 64, ms: 10 }])
  let statements = 1
  while ((await rollUp(database, { ...stretch, until: day })) > 0) statements += 1
  t.ok(statements > 5, 'a long range is processed in steps')
  t.same(await pointsOf(database, target, 300), [[60, 1, 1, 10, 10, 10, 10]])
  t.same(await pointsOf(database, target, 3600), [[60, 1, 1, 10, 10, 10, 10]])
  t.equal(await rollUp(database, { ...stretch, until: day }), 0)
})

t.test('a late check is included in the series', async (t) => {
  const { database, organizationId, id } = await world(t)
  const target = { organizationId, componentId: id }
  const until = START + HOUR
  await store(database, target, [{ minute: 1, ms: 10 }])
  await rollUp(database, { location: LOCATION, shards: [shardOf(id)], until })
  while ((await rollUpLate(database, until)) > 0);
  t.same(await pointsOf(database, target, 300), [[0, 1, 1, 10, 10, 10, 10]])
  await store(database, target, [{ minute: 2, ms: 30 }])
  await rollUp(database, { location: LOCATION, shards: [shardOf(id)], until })
  t.same(await pointsOf(database, target, 300), [[0, 1, 1, 10, 10, 10, 10]], 'not processed again')
  t.ok((await rollUpLate(database, until)) > 0)
  t.same(await pointsOf(database, target, 300), [[0, 2, 2, 20, 10, 30, 30]])
  t.same(await pointsOf(database, target, 3600), [[0, 2, 2, 20, 10, 30, 30]])
})

t.test('private locations are rolled up with the default location', async (t) => {
  const { database, organizationId, publishComponent } = await world(t)
  const location = 'private:office'
  const settings = { locations: [location] }
  const { id } = component()
  const own = component({ id, endpoint: endpoint('http://10.0.0.5/', settings) })
  await publishComponent(organizationId, 'created', own, 1)
  const target = { organizationId, componentId: id }
  await store(database, target, [{ minute: 1, ms: 40 }], location)
  const until = START + HOUR
  await rollUp(database, { location: 'elsewhere', shards: [shardOf(id)], until })
  t.same(await pointsOf(database, target, 300), [])
  await rollUp(database, { location: LOCATION, shards: [shardOf(id)], until })
  t.same(await pointsOf(database, target, 300), [[0, 1, 1, 40, 40, 40, 40]])
})

t.test('checks are listed by time, filtered and paged; ranges are bounded', async (t) => {
  const { database, caller, organizationId, id } = await world(t)
  const app = serve({
    service: 'monitor',
    database,
    verifier: testKeys().verifier('monitor'),
    routes: checkRoutes({
      database,
      runProbe: localProbe(Date.now),
      location: LOCATION,
      onStored: () => {},
      isNetworkLost: async () => false,
    }),
  })
  t.teardown(() => app.close())
  await store(database, { organizationId, componentId: id }, [
    { minute: 1, ms: 10 },
    { minute: 2, ms: 20, status: 'FAILURE' },
    { minute: 3, ms: 30 },
  ])
  const ask = async (operation: 'list' | 'responseTimes', query: object, as = caller) => {
    const options = { caller: as, params: { id }, query: query as never }
    return inject(app, checkOperations[operation], options)
  }
  const times = (body: { data: { responseTime: number }[] }) =>
    body.data.map(({ responseTime }) => responseTime)
  t.same(times((await ask('list', {})).body), [30, 20, 10])
  t.same(times((await ask('list', { sortOrder: 'asc', pageSize: 2 })).body), [10, 20])
  const failed = await ask('list', { status: 'FAILURE' })
  t.match(failed.body, { meta: { total: 1 }, data: [{ status: 'FAILURE', location: LOCATION }] })
  const from = new Date(START + 2 * MINUTE).toISOString()
  const to = new Date(START + 3 * MINUTE).toISOString()
  t.same(times((await ask('list', { from, to })).body), [20], 'from is inclusive, to is exclusive')
  t.same(times((await ask('list', {}, testCaller())).body), [], 'another organization gets none')

  const year = new Date(Date.now() - 400 * 24 * HOUR).toISOString()
  t.match(await ask('responseTimes', { from: year }), { status: 400 })
  const week = new Date(Date.now() - 8 * 24 * HOUR).toISOString()
  t.match(await ask('responseTimes', { from: week }), { body: { resolution: 3600 } })
  t.match(await ask('responseTimes', { from: week, resolution: '300' }), {
    status: 400,
    body: { error: { details: { field: 'from' } } },
  })
  t.match(await ask('responseTimes', {}), { body: { resolution: 300, componentId: id } })
  t.match(await ask('list', { location: 'EU!' }), { status: 400 })
})

t.test('checks are listed by the time of their request, not by their slot', async (t) => {
  const { database, caller, organizationId, id } = await world(t)
  const app = serve({
    service: 'monitor',
    database,
    verifier: testKeys().verifier('monitor'),
    routes: checkRoutes({
      database,
      runProbe: localProbe(Date.now),
      location: LOCATION,
      onStored: () => {},
      isNetworkLost: async () => false,
    }),
  })
  t.teardown(() => app.close())
  await store(database, { organizationId, componentId: id }, [
    { minute: 1, ms: 20, madeMinute: 5.5 },
    { minute: 5, ms: 10 },
    { minute: 6, ms: 30 },
  ])
  const times = (checks: { responseTime: number }[]) =>
    checks.map(({ responseTime }) => responseTime)
  for (const page of [1, 2, 3]) {
    const query = { page, pageSize: 1 }
    const { body } = await inject(app, checkOperations.list, { caller, params: { id }, query })
    t.same(times(body.data), [[30, 20, 10][page - 1]])
  }
  const question = { componentIds: [id], checksPerTarget: 20 }
  const { body } = await inject(app, checkOperations.recent, { caller, body: question })
  t.same(times(body.targets[0].checks), [30, 20, 10])
})

t.test('the total of a long list counts at most ten thousand checks beyond the page', async (t) => {
  const { database, organizationId, id } = await world(t)
  await database.batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${organizationId}, true)`
    await sql`INSERT INTO checks (organization_id, component_id, slot_at, checked_at, is_manual,
        location, status, condition_results)
      SELECT ${organizationId}, ${id}, at, at, false, 'default', 'SUCCESS', '[]'
      FROM generate_series(1, 10050) AS s(n), LATERAL (SELECT now() - n * interval '1 s' AS at) a`
  })
  const total = async (page: number) => {
    const query = { page, pageSize: 20, sortBy: 'timestamp' } as const
    return (await read(database, organizationId, (scope) => listChecks(scope, id, query))).total
  }
  t.equal(await total(1), 10_020)
  t.equal(await total(400), 10_050, 'exact where the end is near')
})

t.test("the series of another organization's target is empty", async (t) => {
  const { database, id } = await world(t)
  t.same(await pointsOf(database, { organizationId: newId(), componentId: id }, 300), [])
})

/** Heartbeats on an empty Postgres: pings over HTTP, missed times, tokens and definitions. */
import {
  type ComponentEventData,
  heartbeatHookOperations,
  heartbeatOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { serve } from '@status-page/service'
import { inject, testCaller, testDatabase, testKeys } from '@status-page/testing'
import t, { type Test } from 'tap'
import { component, type EndpointData, logger, monitorOf } from '../monitor.fixture.ts'
import { heartbeatJob } from './jobs.ts'
import { heartbeatRoutes } from './routes.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

type Endpoint = Extract<EndpointData, { kind: 'heartbeat' }>

const heartbeat = (given: Partial<Endpoint> = {}): Endpoint => ({
  kind: 'heartbeat',
  schedule: null,
  periodSeconds: 60,
  startGraceSeconds: 30,
  maxRunSeconds: null,
  minRunSeconds: null,
  ...given,
})

const SHARDS = Array.from({ length: 256 }, (_none, shard) => shard)

const world = async (t: Test) => {
  const parts = await monitorOf(t)
  const { database, sql } = parts
  const caller = testCaller()
  const { organizationId } = caller
  const app = serve({
    service: 'monitor',
    database,
    verifier: testKeys().verifier('monitor'),
    routes: heartbeatRoutes({ database, logger, onStored: () => {} }),
  })
  t.teardown(() => app.close())
  const job = () => heartbeatJob({ database, shards: { held: () => SHARDS }, onStored: () => {} })
  return {
    ...parts,
    caller,
    organizationId,
    noticeOnce: () => job().run(new AbortController().signal),
    /** Runs the job of one replica until nothing is due. */
    notice: async () => {
      const { run } = job()
      while ((await run(new AbortController().signal)) > 0);
    },
    rotate: async (id: string, as = caller) =>
      inject(app, heartbeatOperations.rotateToken, { caller: as, params: { id } }),
    read: async (id: string, as = caller) =>
      inject(app, heartbeatOperations.read, { caller: as, params: { id } }),
    ping: async (
      token: string,
      signal?: string,
      { run, ...given }: { body?: string; run?: string; headers?: Record<string, string> } = {},
    ) => {
      const request = { ...given, query: run === undefined ? {} : { run } }
      return signal === undefined
        ? inject(app, heartbeatHookOperations.heartbeat, { ...request, params: { token } })
        : inject(app, heartbeatHookOperations.heartbeatSignal, {
            ...request,
            params: { token, signal },
          })
    },
    get: async (token: string) =>
      inject(app, heartbeatHookOperations.heartbeatByGet, { params: { token } }),
    /** Moves all times of a heartbeat into the past. */
    elapse: (componentId: string, seconds: number) => sql`
      UPDATE monitor.heartbeats SET expected_at = expected_at - ${seconds} * interval '1 s',
        due_at = due_at - ${seconds} * interval '1 s',
        last_ping_at = last_ping_at - ${seconds} * interval '1 s'
      WHERE component_id = ${componentId}`,
  }
}

const withHeartbeat = async (t: Test, given: Partial<Endpoint> = {}) => {
  const parts = await world(t)
  const job = component({ endpoint: heartbeat(given) })
  await parts.publishComponent(parts.organizationId, 'created', job, 1)
  const { body } = await parts.rotate(job.id)
  const kinds = async () => (await parts.publishedEvents()).map(({ kind }) => kind)
  return { ...parts, job, id: job.id, token: body.token as string, kinds }
}

t.test('a missed ping is an outage that the next ping ends', async (t) => {
  const { id, token, ping, notice, elapse, kinds, publishedEvents, checksOf } =
    await withHeartbeat(t)
  await notice()
  t.same(await kinds(), [], 'nothing is expected before the first ping')
  t.match(await ping(token), { status: 200, body: { success: true } })
  await elapse(id, 60)
  await notice()
  t.same(await kinds(), [], 'within its grace')
  await elapse(id, 31)
  await Promise.all([notice(), notice()])
  t.same(await kinds(), ['monitor.down'])
  t.match(JSON.stringify((await publishedEvents())[0]?.payload), /no ping was received in time/)
  await ping(token)
  t.same(await kinds(), ['monitor.down', 'monitor.recovered'])
  const statuses = (await checksOf(id)).map(({ status }) => status)
  t.same(statuses.toSorted(), ['ERROR', 'SUCCESS', 'SUCCESS'])
})

/** Inserts due heartbeats of one organization; returns their components. */
const insertDue = async (
  sql: Awaited<ReturnType<typeof world>>['sql'],
  { count, dueSeconds = 30 }: { count: number; dueSeconds?: number },
): Promise<string[]> => {
  const organizationId = newId()
  const ids = Array.from({ length: count }, () => newId())
  await sql`INSERT INTO monitor.targets (organization_id, component_id, version, shard, name,
      is_enabled, probe, failure_threshold, recovery_threshold)
    SELECT ${organizationId}::uuid, id, 1, 7, 'Job', true, ${sql.json(heartbeat() as never)}, 1, 1
    FROM unnest(${ids}::uuid[]) AS id`
  await sql`INSERT INTO monitor.target_states (organization_id, component_id)
    SELECT ${organizationId}::uuid, id FROM unnest(${ids}::uuid[]) AS id`
  await sql`INSERT INTO monitor.target_verdicts (organization_id, component_id)
    SELECT ${organizationId}::uuid, id FROM unnest(${ids}::uuid[]) AS id`
  await sql`INSERT INTO monitor.heartbeats (organization_id, component_id, shard, expected_at,
      due_at)
    SELECT ${organizationId}::uuid, id, 7, now() - ${dueSeconds + 30} * interval '1 s',
      now() - ${dueSeconds} * interval '1 s'
    FROM unnest(${ids}::uuid[]) AS id`
  return ids
}

const downCounts = async (sql: Awaited<ReturnType<typeof world>>['sql']) => {
  const rows = await sql<{ aggregate_id: string; organization_id: string }[]>`
    SELECT o.aggregate_id, o.organization_id FROM monitor.outbox o JOIN monitor.targets t
      ON t.component_id = o.aggregate_id AND t.organization_id = o.organization_id
    WHERE o.kind = 'monitor.down'`
  return {
    events: rows.length,
    components: new Set(rows.map((row) => row.aggregate_id)).size,
    organizations: new Set(rows.map((row) => row.organization_id)).size,
  }
}

t.test('heartbeats due at a restart are noticed once each, in their organization', async (t) => {
  const { sql, notice } = await world(t)
  await insertDue(sql, { count: 1_000 })
  for (let count = 0; count < 20; count += 1) await insertDue(sql, { count: 5 })
  await Promise.all([notice(), notice()])
  t.same(await downCounts(sql), { events: 1_100, components: 1_100, organizations: 21 })
})

t.test('an organization with many due heartbeats delays no other', async (t) => {
  const { sql, noticeOnce, publishedEvents } = await world(t)
  await insertDue(sql, { count: 2_100, dueSeconds: 60 })
  const [later] = await insertDue(sql, { count: 1, dueSeconds: 1 })
  await noticeOnce()
  const noticed = (await publishedEvents()).map(({ payload }) => JSON.stringify(payload))
  t.equal(noticed.length, 2_000)
  t.ok(noticed.some((text) => text.includes(later ?? '')))
})

t.test('a locked heartbeat, and one whose verdict is locked, delay no other', async (t) => {
  const { sql, notice } = await world(t)
  const [first, second] = await insertDue(sql, { count: 4 })
  await sql.begin(async (holder) => {
    await holder`SELECT FROM monitor.heartbeats WHERE component_id = ${first ?? ''} FOR UPDATE`
    await holder`SELECT FROM monitor.target_verdicts WHERE component_id = ${second ?? ''}
      FOR UPDATE`
    await notice()
  })
  t.equal((await downCounts(sql)).components, 2)
  await notice()
  t.same(await downCounts(sql), { events: 4, components: 4, organizations: 1 })
})

t.test('the signals of a run are its start, its end and its failure', async (t) => {
  const { id, token, ping, read, elapse, notice, kinds } = await withHeartbeat(t, {
    periodSeconds: 86_400,
    maxRunSeconds: 600,
  })
  await ping(token, 'start', { run: 'a' })
  await ping(token, 'start', { run: 'b' })
  t.match((await read(id)).body.runs, [{ run: 'a' }, { run: 'b' }])
  await ping(token, 'finish', { run: 'a', body: '1280 rows\0' })
  t.same(await kinds(), [])
  await ping(token, '3', { run: 'b' })
  t.same(await kinds(), ['monitor.down'])
  await ping(token, '0')
  t.same(await kinds(), ['monitor.down', 'monitor.recovered'])
  await ping(token, 'fail')
  await ping(token, 'alive')
  t.match((await read(id)).body, {
    runs: [],
    pings: [
      { kind: 'alive', exitCode: null },
      { kind: 'fail', exitCode: null },
      { kind: 'finish', exitCode: 0, run: null, durationMs: null },
      { kind: 'fail', exitCode: 3, run: 'b', durationMs: Number },
      { kind: 'finish', exitCode: null, run: 'a', body: '1280 rows\uFFFD' },
      { kind: 'start', run: 'b' },
      { kind: 'start', run: 'a' },
    ],
  })
  await elapse(id, 0)
  await notice()
  t.equal((await kinds()).length, 4)
})

t.test('unknown signals and runs are 400, unknown tokens 401', async (t) => {
  const { token, ping, get } = await withHeartbeat(t)
  for (const signal of ['256', '999', 'stop', '-1', '1.5', '0000', 'a'.repeat(16)]) {
    t.match(
      await ping(token, signal),
      { status: 400, body: { error: { details: Object } } },
      signal,
    )
  }
  for (const run of ['', 'a b', 'a'.repeat(65), 'ü']) {
    t.match(await ping(token, 'start', { run }), { status: 400 }, JSON.stringify(run))
  }
  for (const wrong of ['x', `${token}x`, token.slice(1), 'A'.repeat(43), "' OR 1=1", '%00']) {
    t.equal((await ping(wrong)).status, 401, wrong)
  }
  t.equal((await get(token)).status, 200)
})

t.test('only the last token is valid, and no row contains it', async (t) => {
  const { id, token, ping, rotate, sql, read } = await withHeartbeat(t)
  const { body } = await rotate(id)
  t.not(body.token, token)
  t.equal((await ping(token)).status, 401)
  t.equal((await ping(body.token)).status, 200)
  const rows = await sql`SELECT h::text AS text FROM monitor.heartbeats h
    UNION ALL SELECT o::text FROM monitor.outbox o UNION ALL SELECT p::text FROM monitor.heartbeat_pings p`
  t.notMatch(JSON.stringify(rows), body.token)
  t.notMatch(JSON.stringify((await read(id)).body), body.token)
})

t.test('the body of a ping is cut at 10 KiB, and the oldest of 51 pings is replaced', async (t) => {
  const { id, token, ping, read } = await withHeartbeat(t)
  t.equal((await ping(token, undefined, { body: 'ü'.repeat(10_000) })).status, 200)
  const [first] = (await read(id)).body.pings
  t.equal(first.body, 'ü'.repeat(5_120))
  for (let count = 0; count < 50; count += 1) await ping(token)
  const { pings } = (await read(id)).body
  t.equal(pings.length, 50)
  t.notOk(pings.some((one: { body: string | null }) => one.body !== null))
})

t.test('a ping is stored with its body, whatever its Content-Type', async (t) => {
  const { id, token, ping, read } = await withHeartbeat(t)
  const types = ['text/plain', 'application/json; charset=latin1', 'nonsense', 'a/b/c', ';', '']
  for (const type of types) {
    const sent = await ping(token, 'alive', { body: type, headers: { 'content-type': type } })
    t.equal(sent.status, 200, type)
  }
  const { pings } = (await read(id)).body
  t.same(
    pings.map(({ body }: { body: string | null }) => body ?? ''),
    types.toReversed(),
  )
})

t.test('heartbeats of other organizations and deleted ones are 404', async (t) => {
  const { id, token, job, ping, rotate, read, publishComponent, organizationId } =
    await withHeartbeat(t)
  const stranger = testCaller()
  t.equal((await rotate(id, stranger)).status, 404)
  t.equal((await read(id, stranger)).status, 404)
  t.equal((await rotate(id, testCaller({ organizationId, role: 'VIEWER' }))).status, 403)
  await publishComponent(organizationId, 'deleted', job, 2)
  t.equal((await ping(token)).status, 401)
  t.equal((await read(id)).status, 404)
})

t.test('a disabled heartbeat misses nothing, and starts again when it is enabled', async (t) => {
  const { id, token, job, ping, elapse, notice, kinds, publishComponent, organizationId } =
    await withHeartbeat(t)
  await ping(token)
  const update = (fact: Partial<ComponentEventData>, version: number) =>
    publishComponent(organizationId, 'updated', { ...job, ...fact }, version)
  await update({ isEnabled: false }, 2)
  await elapse(id, 3_600)
  await notice()
  t.same(await kinds(), [])
  await update({}, 3)
  await notice()
  t.same(await kinds(), [])
  await elapse(id, 91)
  await notice()
  t.same(await kinds(), ['monitor.down'])
})

t.test('another schedule begins after now; another kind removes the heartbeat', async (t) => {
  const { token, job, id, ping, read, publishComponent, organizationId } = await withHeartbeat(t)
  await ping(token)
  const schedule = { cron: '0 0 1 1 *', timezone: 'UTC' }
  const yearly = { ...job, endpoint: heartbeat({ schedule, periodSeconds: null }) }
  await publishComponent(organizationId, 'updated', yearly, 2)
  t.match((await read(id)).body.expectedAt, /-01-01T00:00:00\.000Z$/)
  const polled: EndpointData = {
    kind: 'icmp',
    url: 'icmp://192.0.2.1',
    conditions: [],
    checkInterval: 60,
    timeout: 1_000,
    failureThreshold: 3,
    recoveryThreshold: 2,
  }
  await publishComponent(organizationId, 'updated', { ...job, endpoint: polled }, 3)
  t.equal((await ping(token)).status, 401)
  t.equal((await read(id)).status, 404)
})

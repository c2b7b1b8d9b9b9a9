/** Operations that core calls: manual checks and current states of targets. */
import { type Check, checkOperations } from '@status-page/contracts'
import { type Database, newId } from '@status-page/postgres'
import { notMeasured } from '@status-page/probes'
import { slotAt } from '@status-page/schedule'
import { serve } from '@status-page/service'
import {
  eventually,
  httpTarget,
  inject,
  tcpTarget,
  testCaller,
  testDatabase,
  testKeys,
} from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  component,
  endpoint,
  LOCATION,
  localProbe,
  manualClock,
  pass,
  setup,
  startReplica,
  testSealer,
} from '../monitor.fixture.ts'
import { storeBatch } from './record/batches.ts'
import { checkRowOf } from './record/rows.ts'
import { checkRoutes } from './routes.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

/** Network state as reported by the scheduler. */
const network = { isLost: false }

const appOf = (t: Test, database: Database, now: () => number = Date.now) => {
  const app = serve({
    service: 'monitor',
    database,
    verifier: testKeys().verifier('monitor'),
    routes: checkRoutes({
      database,
      runProbe: localProbe(now),
      location: LOCATION,
      onStored: () => {},
      isNetworkLost: async () => network.isLost,
    }),
  })
  t.teardown(() => app.close())
  return app
}

const monitorOf = async (t: Test, now?: () => number) => {
  const parts = await setup(t)
  const caller = testCaller()
  const app = appOf(t, parts.database, now)
  return {
    ...parts,
    caller,
    organizationId: caller.organizationId,
    run: (id: string, as = caller, version = 1) =>
      inject(app, checkOperations.run, { caller: as, params: { id }, body: { version } }),
    recent: async (componentIds: string[], checksPerTarget = 20, as = caller) =>
      inject(app, checkOperations.recent, { caller: as, body: { componentIds, checksPerTarget } }),
    summaries: async (componentIds: string[], as = caller) =>
      inject(app, checkOperations.summaries, { caller: as, body: { componentIds } }),
    locations: () => inject(app, checkOperations.locations, { caller }),
    publishedEvents: async () => {
      const rows = await parts.database.batchSql<{ kind: string }[]>`
        SELECT kind FROM outbox WHERE kind LIKE 'monitor.%' ORDER BY seq`
      return rows.map(({ kind }) => kind)
    },
  }
}

t.test('a manual check returns its result and is stored', async (t) => {
  const { run, recent, summaries, publishComponent, organizationId } = await monitorOf(t)
  const target = await httpTarget(t, { status: 503 })
  const conditions = [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }] as const
  const api = component({ endpoint: endpoint(target.url, { conditions: [...conditions] }) })
  await publishComponent(organizationId, 'created', api, 1)
  const { status, body } = await run(api.id)
  t.equal(status, 200)
  t.match(body, {
    componentId: api.id,
    success: false,
    status: 'FAILURE',
    statusCode: 503,
    error: null,
    trigger: 'manual',
    conditionResults: [{ ...conditions[0], actual: '503', passed: false }],
  })
  const response = await recent([api.id])
  t.same(response.body.targets[0]?.checks, [body])
  const summary = { componentId: api.id, lastCheckAt: body.timestamp, averageResponseTime: null }
  t.same((await summaries([api.id, newId()])).body.targets, [summary])
  t.same((await summaries([api.id], testCaller())).body.targets, [], 'another organization')
})

t.test('a manual check at the time of a slot leaves the slot to the schedule', async (t) => {
  const api = component({ endpoint: endpoint((await httpTarget(t)).url) })
  const slotMs = slotAt(api.id, 60_000, Date.now())
  const { run, recent, publishComponent, organizationId, database } = await monitorOf(
    t,
    () => slotMs,
  )
  await publishComponent(organizationId, 'created', api, 1)
  t.match((await run(api.id)).body, { timestamp: new Date(slotMs).toISOString() })
  const result = { ...notMeasured, status: 'SUCCESS', checkedAtMs: slotMs } as const
  const when = { slotMs, location: LOCATION, trigger: 'schedule' } as const
  const rows = [checkRowOf({ organizationId, componentId: api.id }, result, when)]
  await storeBatch(database, { rows, moved: [], location: LOCATION })
  const { body } = await recent([api.id])
  t.same(body.targets[0].checks.map(({ trigger }: Check) => trigger).sort(), ['manual', 'schedule'])
})

t.test("a check never uses an older definition than the caller's", async (t) => {
  const { run, publishComponent, caller, organizationId } = await monitorOf(t)
  const target = await httpTarget(t)
  const api = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', api, 1)
  t.equal((await run(api.id, caller, 2)).status, 404)
  t.same(target.requests, [])
  await publishComponent(organizationId, 'updated', api, 3)
  t.equal((await run(api.id, caller, 2)).status, 200, 'a newer definition is accepted')
})

t.test('the request follows the definition of the component, with decrypted headers', async (t) => {
  const { run, publishComponent, organizationId } = await monitorOf(t)
  const target = await httpTarget(t)
  const api = component()
  const recordId = `${api.id}:x-api-key`
  const context = { organizationId, purpose: 'component-header', recordId } as const
  const headers = [
    { name: 'X-Api-Key', value: null, sealedValue: testSealer.seal('s3cr3t', context) },
    { name: 'Accept', value: 'application/json', sealedValue: null },
  ]
  const given = { method: 'POST', headers, body: '{"ping":1}' } as const
  await publishComponent(
    organizationId,
    'created',
    { ...api, endpoint: endpoint(`${target.url}/a?b=c`, { ...given, headers }) },
    1,
  )
  t.match((await run(api.id)).body, { success: true, status: 'SUCCESS' })
  t.match(target.requests, [
    {
      method: 'POST',
      url: '/a?b=c',
      headers: { 'x-api-key': 's3cr3t', accept: 'application/json' },
      body: '{"ping":1}',
    },
  ])
})

t.test('every failure of a target has its error', async (t) => {
  const { run, publishComponent, organizationId } = await monitorOf(t)
  const silent = await tcpTarget(t)
  const closed = await httpTarget(t)
  await closed.close()
  const rude = await tcpTarget(t, (socket) => void socket.end('nonsense\r\n\r\n'))
  const table = [
    [`http://127.0.0.1:${silent.port}/`, 'TIMEOUT', 'timeout'],
    [closed.url, 'ERROR', 'connect_error'],
    [`http://127.0.0.1:${rude.port}/`, 'ERROR', 'protocol_error'],
    ['http://169.254.169.254/latest/meta-data/', 'ERROR', 'blocked'],
    [`https://127.0.0.1:${silent.port}/`, 'TIMEOUT', 'timeout'],
  ] as const
  for (const [url, status, error] of table) {
    const api = component({ endpoint: endpoint(url, { timeout: 300 }) })
    await publishComponent(organizationId, 'created', api, 1)
    const { body } = await run(api.id)
    t.match(body, { success: false, status, statusCode: null, error, conditionResults: [] }, url)
  }
})

t.test('unknown, foreign, deleted and malformed ids are the same 404', async (t) => {
  const { run, publishComponent, organizationId } = await monitorOf(t)
  const target = await httpTarget(t)
  const own = component({ endpoint: endpoint(target.url) })
  const foreign = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', own, 1)
  await publishComponent(organizationId, 'deleted', own, 2)
  await publishComponent(newId(), 'created', foreign, 1)
  const responses = await Promise.all(
    [newId(), own.id, foreign.id, 'nonsense'].map((id) => run(id)),
  )
  t.same(new Set(responses.map(({ status }) => status)), new Set([404]))
  t.equal(new Set(responses.map(({ body }) => body.error?.message)).size, 1)
  t.equal(target.requests.length, 0)
})

t.test('a check requires the permission to update components', async (t) => {
  const { run, recent, publishComponent, organizationId } = await monitorOf(t)
  const target = await httpTarget(t)
  const api = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', api, 1)
  const viewer = testCaller({ organizationId, role: 'VIEWER' })
  t.equal((await run(api.id, viewer)).status, 403)
  t.equal((await recent([api.id], 1, viewer)).status, 200)
  t.equal((await run(api.id, testCaller({ organizationId, role: 'INCIDENT_MANAGER' }))).status, 200)
  const reader = testCaller({ organizationId, permissions: ['components:read'] })
  t.equal((await run(api.id, reader)).status, 403)
})

t.test('manual checks count like scheduled ones, except for a disabled target', async (t) => {
  const { run, recent, publishComponent, organizationId, publishedEvents } = await monitorOf(t)
  const target = await httpTarget(t, { status: 500 })
  const thresholds = { failureThreshold: 2, recoveryThreshold: 1 }
  const api = component({ endpoint: endpoint(target.url, thresholds) })
  await publishComponent(organizationId, 'created', { ...api, isEnabled: false }, 1)
  for (let check = 0; check < 3; check += 1) await run(api.id)
  t.same(await publishedEvents(), [], 'disabled')
  await publishComponent(organizationId, 'updated', api, 2)
  await run(api.id)
  t.same(await publishedEvents(), [])
  await run(api.id)
  t.same(await publishedEvents(), ['monitor.down'])
  const { body } = await recent([api.id])
  t.match(body.targets[0]?.monitor, {
    kind: 'http',
    isEnabled: true,
    interval: 60,
    derivedStatus: 'major_outage',
    consecutiveFailures: 2,
    consecutiveSuccesses: 0,
    lastCheckAt: body.targets[0]?.checks[0]?.timestamp,
  })
  t.equal(body.targets[0]?.checks.length, 5, 'all are stored')
  target.respond({ status: 200 })
  await run(api.id)
  t.same(await publishedEvents(), ['monitor.down', 'monitor.recovered'])
})

t.test('during a lost network a manual check has no result for its target', async (t) => {
  const { run, recent, publishComponent, organizationId, publishedEvents } = await monitorOf(t)
  const closed = await httpTarget(t)
  await closed.close()
  const open = await httpTarget(t)
  const once = { failureThreshold: 1 }
  const silent = component({ endpoint: endpoint(closed.url, once) })
  const near = component({ endpoint: endpoint(open.url, once) })
  for (const one of [silent, near]) await publishComponent(organizationId, 'created', one, 1)
  network.isLost = true
  t.teardown(() => {
    network.isLost = false
  })
  t.match(await run(silent.id), { status: 503, body: { error: { message: /network/ } } })
  t.match((await run(near.id)).body, { status: 'SUCCESS' }, 'a response counts')
  t.same(await publishedEvents(), [])
  t.same((await recent([silent.id])).body.targets[0].checks, [])
})

t.test('scheduled checks continue the run of a manual check', async (t) => {
  const clock = manualClock()
  const { run, publishComponent, organizationId, database, publishedEvents } = await monitorOf(
    t,
    clock.now,
  )
  const target = await httpTarget(t, { status: 500 })
  const api = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', api, 1)
  const replica = await startReplica(t, database, clock)
  await pass(clock, [replica], 2000)
  await run(api.id)
  t.same(await publishedEvents(), [])
  await eventually(() => target.requests.length === 2)
  await pass(clock, [replica], 60_000)
  await eventually(async () => {
    // The wheel advances by itself; checks that it started since are stored too.
    await pass(clock, [replica], 0)
    return (await publishedEvents()).length === 1
  })
  t.same(await publishedEvents(), ['monitor.down'], 'the third failure of the run')
})

t.test('recent checks include own targets only, newest first', async (t) => {
  const { run, recent, publishComponent, organizationId } = await monitorOf(t)
  const target = await httpTarget(t)
  const own = component({ endpoint: endpoint(target.url) })
  const unchecked = component({ endpoint: endpoint(target.url), isEnabled: false })
  const foreign = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', own, 1)
  await publishComponent(organizationId, 'created', unchecked, 1)
  await publishComponent(newId(), 'created', foreign, 1)
  const made = []
  for (let check = 0; check < 3; check += 1) made.unshift((await run(own.id)).body.id)
  const { body } = await recent([own.id, unchecked.id, foreign.id, newId()], 2)
  const byId = new Map(body.targets.map((one: { componentId: string }) => [one.componentId, one]))
  t.equal(byId.size, 2)
  t.match(byId.get(own.id), { checks: [{ id: made[0] }, { id: made[1] }] })
  t.match(byId.get(unchecked.id), {
    checks: [],
    monitor: { lastCheckAt: null, nextCheckAt: null, derivedStatus: 'operational' },
  })
  t.same((await recent([])).body, { targets: [] })
})

t.test('a location without a replica is reported and has no next check', async (t) => {
  const { recent, publishComponent, organizationId, database } = await monitorOf(t)
  const api = component({
    endpoint: endpoint('http://a.example.com/', { locations: ['eu', 'us'] }),
  })
  await publishComponent(organizationId, 'created', api, 1)
  const monitor = async () => (await recent([api.id])).body.targets[0].monitor
  t.match(await monitor(), { unservedLocations: ['eu', 'us'], nextCheckAt: null })
  await startReplica(t, database, manualClock(), { location: 'eu' })
  t.match(await monitor(), { unservedLocations: ['us'], nextCheckAt: /Z$/ })
})

t.test('the locations whose replicas can send echo requests are listed', async (t) => {
  const { locations, database } = await monitorOf(t)
  await startReplica(t, database, manualClock(), { location: 'eu', canPing: async () => true })
  await startReplica(t, database, manualClock(), { location: 'us' })
  t.same((await locations()).body, { locations: ['eu', 'us'], icmpLocations: ['eu'] })
})

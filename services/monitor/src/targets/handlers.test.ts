/** The projection of ENDPOINT components is exact and never goes back to an older version. */
import { newId, read } from '@status-page/postgres'
import { assertTenantCatalogue, testDatabase } from '@status-page/testing'
import t from 'tap'
import { component, endpoint, setup } from '../monitor.fixture.ts'
import { listStates, lockVerdict } from '../verdicts/store.ts'
import { listByIds } from './store.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

t.test('the copy of an ENDPOINT component contains everything that a check needs', async (t) => {
  const { publishComponent, database } = await setup(t)
  const organizationId = newId()
  const headers = [{ name: 'X-Api-Key', value: null, sealedValue: 'v1.sealed' }]
  const api = component({
    endpoint: endpoint('https://api.example.com/health', {
      method: 'POST',
      headers,
      body: '{}',
      conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
    }),
  })
  await publishComponent(organizationId, 'created', api, 1)
  const [copy] = await read(database, organizationId, (scope) => listByIds(scope, [api.id]))
  t.match(copy, {
    organizationId,
    componentId: api.id,
    version: 1,
    name: 'API',
    isEnabled: true,
    probe: {
      kind: 'http',
      url: 'https://api.example.com/health',
      method: 'POST',
      headers,
      body: '{}',
      conditions: [{ type: 'STATUS_CODE', comparator: 'EQUALS', target: '200' }],
    },
    intervalSeconds: 60,
    timeoutMs: 2000,
    failureThreshold: 3,
    recoveryThreshold: 2,
  })
  const [state] = await read(database, organizationId, (scope) =>
    listStates(scope, [{ organizationId, componentId: api.id }]),
  )
  t.match(state, { derivedStatus: 'operational', revision: 0 })
})

t.test('a timeout beyond the maximum of the kind of check is stored as the maximum', async (t) => {
  const { publishComponent, database } = await setup(t)
  const organizationId = newId()
  const pinged = component({
    endpoint: {
      kind: 'icmp',
      url: 'icmp://a.example.com',
      conditions: [],
      checkInterval: 60,
      timeout: 10_000,
      failureThreshold: 3,
      recoveryThreshold: 2,
    },
  })
  await publishComponent(organizationId, 'created', pinged, 1)
  const [copy] = await read(database, organizationId, (scope) => listByIds(scope, [pinged.id]))
  t.equal(copy?.timeoutMs, 5_000)
})

t.test('components of other types are ignored', async (t) => {
  const { publishComponent, database } = await setup(t)
  const organizationId = newId()
  for (const type of ['SERVICE', 'METRIC'] as const) {
    const other = component({ type })
    await publishComponent(organizationId, 'created', other, 1)
    const copies = await read(database, organizationId, (scope) => listByIds(scope, [other.id]))
    t.same(copies, [], type)
  }
})

t.test('an older version changes nothing, and a deleted component is not recreated', async (t) => {
  const { publishComponent, database } = await setup(t)
  const organizationId = newId()
  const api = component({ name: 'new', endpoint: endpoint('http://a.example.com/') })
  const copy = async () => {
    const rows = await read(database, organizationId, (scope) => listByIds(scope, [api.id]))
    return rows[0]
  }
  await publishComponent(organizationId, 'updated', api, 3)
  await publishComponent(organizationId, 'updated', { ...api, name: 'old' }, 2)
  t.match(await copy(), { name: 'new', version: 3 })
  await publishComponent(organizationId, 'deleted', api, 4)
  t.equal(await copy(), undefined)
  await publishComponent(organizationId, 'created', api, 1)
  t.equal(await copy(), undefined)
  const gone = component({ endpoint: endpoint('http://b.example.com/') })
  await publishComponent(organizationId, 'deleted', gone, 2)
  await publishComponent(organizationId, 'created', gone, 1)
  const late = await read(database, organizationId, (scope) => listByIds(scope, [gone.id]))
  t.same(late, [], 'deleted before its first event')
})

t.test('a disabled target restarts its result runs', async (t) => {
  const { publishComponent, database } = await setup(t)
  const organizationId = newId()
  const api = component({ endpoint: endpoint('http://a.example.com/') })
  await publishComponent(organizationId, 'created', api, 1)
  await database.batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${organizationId}, true)`
    await sql`UPDATE target_states SET runs = '{"bad": [2, "2026-01-01T00:00:00.000Z"]}'`
  })
  await publishComponent(organizationId, 'updated', { ...api, isEnabled: false }, 2)
  const [state] = await read(database, organizationId, (scope) =>
    listStates(scope, [{ organizationId, componentId: api.id }]),
  )
  t.match(state, { runs: {}, revision: 1 })
})

t.test('disabling a failing target ends its outage, so that a new one can begin', async (t) => {
  const { publishComponent, database } = await setup(t)
  const organizationId = newId()
  const api = component({ endpoint: endpoint('http://a.example.com/') })
  await publishComponent(organizationId, 'created', api, 1)
  await database.batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${organizationId}, true)`
    await sql`UPDATE target_states SET derived_status = 'major_outage'`
    await sql`UPDATE target_verdicts SET derived_status = 'major_outage', version = 1`
  })
  await publishComponent(organizationId, 'updated', { ...api, isEnabled: false }, 2)
  const verdict = await read(database, organizationId, (scope) => lockVerdict(scope, api.id))
  t.match(verdict, { derivedStatus: 'operational', version: 2 })
  const [state] = await read(database, organizationId, (scope) =>
    listStates(scope, [{ organizationId, componentId: api.id }]),
  )
  t.match(state, { derivedStatus: 'operational' })
})

t.test('row-level security separates organizations', async (t) => {
  const { publishComponent, database, adminUrl } = await setup(t)
  const organizationId = newId()
  const api = component({ endpoint: endpoint('http://a.example.com/') })
  await publishComponent(organizationId, 'created', api, 1)
  t.same(await read(database, newId(), (scope) => listByIds(scope, [api.id])), [])
  t.same(await database.batchSql`SELECT * FROM targets`, [], 'no scope, no rows')
  await t.rejects(database.batchSql`SELECT * FROM ${database.batchSql(partitionOfToday())}`, {
    code: '42501',
  })
  await assertTenantCatalogue(t, adminUrl, 'monitor')
})

const partitionOfToday = () => `checks_${new Date().toISOString().slice(0, 10).replaceAll('-', '')}`

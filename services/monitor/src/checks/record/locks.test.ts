/** Lock order: a transaction that waits for a verdict holds no other lock. */
import { checkOperations } from '@status-page/contracts'
import { serve } from '@status-page/service'
import {
  eventually,
  httpTarget,
  inject,
  testCaller,
  testDatabase,
  testKeys,
} from '@status-page/testing'
import t from 'tap'
import { adminOf, component, endpoint, LOCATION, localProbe, setup } from '../../monitor.fixture.ts'
import { checkRoutes } from '../routes.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

t.test('a transaction that waits for an evaluation holds no lock on its rows', async (t) => {
  const { database, publishComponent, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const caller = testCaller()
  const organizationId = caller.organizationId as string
  const probe = localProbe(Date.now)
  const http = serve({
    service: 'monitor',
    database,
    verifier: testKeys().verifier('monitor'),
    routes: checkRoutes({
      database,
      runProbe: probe,
      location: LOCATION,
      onStored: () => {},
      isNetworkLost: async () => false,
    }),
  })
  t.teardown(() => http.close())
  const target = await httpTarget(t, { status: 500 })
  const api = component({ endpoint: endpoint(target.url) })
  const check = () =>
    inject(http, checkOperations.run, { caller, params: { id: api.id }, body: { version: 1 } })
  await publishComponent(organizationId, 'created', api, 1)
  await check()

  const table = {
    'a check on demand': check,
    'a component that is disabled': () =>
      publishComponent(organizationId, 'updated', { ...api, isEnabled: false }, 2),
    'a component that gets another location': () => {
      const elsewhere = endpoint(target.url, { locations: ['eu'] })
      return publishComponent(organizationId, 'updated', { ...api, endpoint: elsewhere }, 3)
    },
    'a component that is deleted': () => publishComponent(organizationId, 'deleted', api, 4),
  }
  for (const [name, work] of Object.entries(table)) {
    const done = await sql.begin(async (holder) => {
      await holder`SELECT FROM monitor.target_verdicts WHERE component_id = ${api.id} FOR UPDATE`
      const working = work()
      await eventually(async () => {
        const waiting = await sql`SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event_type = 'Lock'`
        return waiting.length > 0
      })
      await t.resolves(
        holder.savepoint(async (inner) => {
          await inner`SELECT FROM monitor.target_states WHERE component_id = ${api.id}
            FOR UPDATE NOWAIT`
        }),
        name,
      )
      return { working }
    })
    await done.working
  }
})

t.test('results of a disabled component change nothing', async (t) => {
  const { database, publishComponent, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const caller = testCaller()
  const organizationId = caller.organizationId as string
  const api = component({ endpoint: endpoint('http://127.0.0.1:1/', { failureThreshold: 1 }) })
  await publishComponent(organizationId, 'created', api, 1)
  const fine = localProbe(Date.now)
  const http = serve({
    service: 'monitor',
    database,
    verifier: testKeys().verifier('monitor'),
    routes: checkRoutes({
      database,
      location: LOCATION,
      onStored: () => {},
      isNetworkLost: async () => false,
      runProbe: async (target) => {
        await publishComponent(organizationId, 'updated', { ...api, isEnabled: false }, 2)
        return fine(target)
      },
    }),
  })
  t.teardown(() => http.close())
  const response = await inject(http, checkOperations.run, {
    caller,
    params: { id: api.id },
    body: { version: 1 },
  })
  t.equal(response.body.status, 'ERROR')
  t.same(await sql`SELECT kind FROM monitor.outbox WHERE kind LIKE 'monitor.%'`, [])
  t.equal((await sql`SELECT FROM monitor.checks`).length, 1, 'stored nevertheless')
})

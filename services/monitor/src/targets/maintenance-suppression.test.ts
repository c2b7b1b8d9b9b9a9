/** Results during a maintenance are stored and not announced, unless the failure outlives it. */
import {
  type ComponentEventData,
  draftEvent,
  type MaintenanceEventData,
  type MaintenanceStatus,
  maintenanceCompleted,
  maintenanceStarted,
  maintenanceUpdated,
  systemActor,
} from '@status-page/contracts'
import { connect, newId, transact } from '@status-page/postgres'
import { eventually, httpTarget, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import { component, endpoint, manualClock, pass, setup, startReplica } from '../monitor.fixture.ts'

const MINUTE = 60_000

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const kinds: Partial<Record<MaintenanceStatus, typeof maintenanceStarted>> = {
  in_progress: maintenanceStarted,
  completed: maintenanceCompleted as unknown as typeof maintenanceStarted,
}

const maintenanceOf = (components: readonly ComponentEventData[]): MaintenanceEventData => ({
  id: newId(),
  title: 'DB upgrade',
  status: 'scheduled',
  message: '',
  news: null,
  scheduledFor: '2026-01-02T03:00:00.000Z',
  scheduledUntil: '2026-01-02T04:00:00.000Z',
  startedAt: null,
  completedAt: null,
  cancelledAt: null,
  url: null,
  components: components.map(({ id, name }) => ({
    id,
    name,
    status: 'operational',
    isMuted: false,
    ancestorIds: [],
  })),
  statusPageIds: [],
  notifySubscribers: true,
})

/** Target with an interval of one minute, and maintenances of it. */
const underMaintenance = async (t: Test) => {
  const { publishComponent, database, adminUrl, bus, core } = await setup(t)
  const sql = (await connectedTo(t, adminUrl)).batchSql
  const organizationId = newId()
  const target = await httpTarget(t)
  const api = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', api, 1)
  const clock = manualClock()
  const replica = await startReplica(t, database, clock)
  await eventually(() => replica.gauges().targets === 1)
  const held = async () => {
    const [row] = await sql<{ until: string | null }[]>`
      SELECT suppressed_until::text AS until FROM monitor.target_verdicts
      WHERE component_id = ${api.id}`
    return row?.until?.startsWith('9999') ?? false
  }
  const turn = async (one: MaintenanceEventData, status: MaintenanceStatus, version: number) => {
    const fact = { ...one, status, startedAt: one.scheduledFor }
    const kind = kinds[status] ?? (maintenanceUpdated as unknown as typeof maintenanceStarted)
    await transact(core, { organizationId, actor: systemActor }, async () => ({
      result: undefined,
      events: [draftEvent(kind, { id: one.id, version }, { maintenance: fact })],
      audit: [],
    }))
    await bus.drain()
    await replica.flush()
  }
  return {
    target,
    api,
    turn,
    held,
    replica,
    database,
    publishComponent,
    organizationId,
    clock,
    minutes: async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) await pass(clock, [replica], MINUTE)
    },
    publishedEvents: async () =>
      (
        await sql<{ kind: string }[]>`
          SELECT kind FROM monitor.outbox WHERE kind LIKE 'monitor.%' ORDER BY seq`
      ).map(({ kind }) => kind),
    stored: async () =>
      (await sql<{ count: number }[]>`SELECT count(*)::int FROM monitor.checks`)[0]?.count ?? 0,
  }
}

const connectedTo = async (t: Test, url: string) => {
  const database = await connect({ url, service: 'monitor', max: 2 })
  t.teardown(() => database.close())
  return database
}

t.test('a failure during a maintenance is stored, and announced after it', async (t) => {
  const { target, api, turn, minutes, publishedEvents, stored } = await underMaintenance(t)
  const one = maintenanceOf([api])
  await turn(one, 'in_progress', 2)
  target.respond({ status: 503 })
  await minutes(5)
  await turn(one, 'verifying', 3)
  await minutes(2)
  t.same(await publishedEvents(), [])
  t.ok((await stored()) >= 7)
  await turn(one, 'completed', 4)
  t.same(await publishedEvents(), [], 'the end of the maintenance alone publishes nothing')
  await minutes(1)
  t.same(await publishedEvents(), ['monitor.down'])
})

t.test('a failure that recovers during the maintenance causes nothing', async (t) => {
  const { target, api, turn, minutes, publishedEvents } = await underMaintenance(t)
  const one = maintenanceOf([api])
  await turn(one, 'in_progress', 2)
  target.respond({ status: 503 })
  await minutes(5)
  target.respond({ status: 200 })
  await minutes(3)
  await turn(one, 'cancelled', 3)
  await minutes(3)
  t.same(await publishedEvents(), [])
})

t.test('a recovery during a maintenance is announced after it', async (t) => {
  const { target, api, turn, minutes, publishedEvents } = await underMaintenance(t)
  target.respond({ status: 503 })
  await minutes(4)
  t.same(await publishedEvents(), ['monitor.down'])
  const one = maintenanceOf([api])
  await turn(one, 'in_progress', 2)
  target.respond({ status: 200 })
  await minutes(4)
  t.same(await publishedEvents(), ['monitor.down'])
  await turn(one, 'completed', 3)
  await minutes(1)
  t.same(await publishedEvents(), ['monitor.down', 'monitor.recovered'])
})

t.test(
  'suppression lasts until the last of several maintenances; old and removed ones do not count',
  async (t) => {
    const { api, turn, held } = await underMaintenance(t)
    const [one, other] = [maintenanceOf([api]), maintenanceOf([api])]
    t.equal(await held(), false)
    await turn(one, 'in_progress', 2)
    await turn(other, 'in_progress', 2)
    await turn(one, 'completed', 4)
    t.equal(await held(), true)
    await turn({ ...other, components: [] }, 'verifying', 3)
    t.equal(await held(), false)
    await turn(one, 'verifying', 3)
    t.equal(await held(), false, 'an older version changes nothing')
  },
)

t.test('a component whose event arrives late is suppressed from the beginning', async (t) => {
  const { turn, publishComponent, database, organizationId } = await underMaintenance(t)
  const late = component({ endpoint: endpoint('https://example.com/') })
  await turn(maintenanceOf([late]), 'in_progress', 2)
  await publishComponent(organizationId, 'created', { ...late, type: 'SERVICE', endpoint: null }, 1)
  await publishComponent(organizationId, 'updated', late, 2)
  const [row] = await database.batchSql.begin(async (sql) => {
    await sql`SELECT set_config('app.org', ${organizationId}, true)`
    return sql`SELECT suppressed_until::text AS until FROM target_verdicts
      WHERE component_id = ${late.id}`
  })
  t.match(row?.until, /^9999/)
})

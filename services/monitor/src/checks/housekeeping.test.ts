/** Jobs that maintain the tables: partitions, erasure, and targets whose notification was lost. */
import { newId } from '@status-page/postgres'
import { eraseDeleted } from '@status-page/schedule'
import { eventually, httpTarget, testDatabase } from '@status-page/testing'
import t from 'tap'
import {
  adminOf,
  component,
  endpoint,
  manualClock,
  pass,
  setup,
  startReplica,
} from '../monitor.fixture.ts'
import { deletedTargets, keepPartitions } from './housekeeping.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

t.test('partitions are created ahead and dropped day by day', async (t) => {
  const { database, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const partitions = async () => {
    const rows = await sql<{ name: string }[]>`
      SELECT inhrelid::regclass::text AS name FROM pg_inherits
      WHERE inhparent = 'monitor.checks'::regclass ORDER BY 1`
    return rows.map(({ name }) => name.replace('monitor.', ''))
  }
  const dayOf = (days: number) => {
    const day = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10)
    return `checks_${day.replaceAll('-', '')}`
  }
  t.same(await partitions(), [-1, 0, 1, 2, 3].map(dayOf), 'created by the migration')
  await sql.unsafe(`DROP TABLE monitor.${dayOf(3)};
    CREATE TABLE monitor.checks_20200101 PARTITION OF monitor.checks
      FOR VALUES FROM ('2020-01-01') TO ('2020-01-02')`)
  await sql.unsafe('ALTER TABLE monitor.checks_20200101 OWNER TO status_page_migrator')
  await keepPartitions(database, 30)
  t.same(await partitions(), [-1, 0, 1, 2, 3].map(dayOf))
  await keepPartitions(database, 30)
  t.same(await partitions(), [-1, 0, 1, 2, 3].map(dayOf), 'again, it changes nothing')
  await t.rejects(keepPartitions(database, 1), /two days/)
})

t.test('checks of a deleted component are erased, and no other checks', async (t) => {
  const { publishComponent, database, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const clock = manualClock()
  const organizationId = newId()
  const target = await httpTarget(t)
  const deleted = component({ endpoint: endpoint(target.url) })
  const remaining = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', deleted, 1)
  await publishComponent(organizationId, 'created', remaining, 1)
  const replica = await startReplica(t, database, clock)
  await pass(clock, [replica], 60_000)
  await publishComponent(organizationId, 'deleted', deleted, 2)
  t.equal(await eraseDeleted(database, deletedTargets), 0, 'not while a check may be in flight')
  await sql`UPDATE monitor.targets SET deleted_at = now() - interval '1 hour'
    WHERE component_id = ${deleted.id}`
  const late = { organization_id: organizationId, component_id: deleted.id, location: 'default' }
  const at = new Date(Math.floor(Date.now() / 300_000) * 300_000)
  const counts = { checks: 1, successes: 1 }
  await sql`INSERT INTO monitor.check_hours
    ${sql({ ...late, ...counts, hour_at: at, response_ms_sum: 1 })}`
  await sql`INSERT INTO monitor.check_rollups ${sql({ ...late, ...counts, at })}`
  await sql`INSERT INTO monitor.late_rollups ${sql({ ...late, hour_at: at })}`
  for (let done = 1; done > 0; ) done = await eraseDeleted(database, deletedTargets)
  const checked = await sql<{ component_id: string }[]>`
    SELECT DISTINCT component_id FROM monitor.checks`
  t.same(
    checked.map(({ component_id }) => component_id),
    [remaining.id],
  )
  for (const table of ['check_hours', 'check_rollups', 'late_rollups']) {
    const rows =
      await sql`SELECT FROM ${sql(`monitor.${table}`)} WHERE component_id = ${deleted.id}`
    t.equal(rows.length, 0, `no ${table}`)
  }
  const [tombstone] = await sql`SELECT probe, erased_at FROM monitor.targets
    WHERE component_id = ${deleted.id}`
  t.match(tombstone, { probe: {}, erased_at: Date })
})

t.test('a change whose notification was lost is found by comparison', async (t) => {
  const { publishComponent, database, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const organizationId = newId()
  const target = await httpTarget(t)
  const clock = manualClock()
  const api = component({ endpoint: endpoint(target.url) })
  await publishComponent(organizationId, 'created', api, 1)
  const replica = await startReplica(t, database, clock)
  await eventually(() => replica.gauges().targets === 1)
  await sql`UPDATE monitor.targets SET is_enabled = false, version = 2`
  const compare = replica.jobs.find(({ name }) => name === 'compare-targets')
  await compare?.run(new AbortController().signal)
  await eventually(() => replica.gauges().targets === 0)
  await sql`UPDATE monitor.targets SET is_enabled = true, version = 3`
  await compare?.run(new AbortController().signal)
  await eventually(() => replica.gauges().targets === 1)
})

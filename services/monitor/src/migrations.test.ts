/** Stored data survives the migrations, and announced statuses continue. */
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { systemActor } from '@status-page/contracts'
import { migrateAll, newId, transact } from '@status-page/postgres'
import { shardOf } from '@status-page/schedule'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { recordChecks } from './checks/record.ts'
import { checkRowOf } from './checks/rows.ts'
import { noTimings } from './checks/rules.ts'
import { adminOf } from './monitor.fixture.ts'

const folder = fileURLToPath(new URL('../migrations', import.meta.url))
const FIRST = '0001_targets_and_checks.sql'

t.test('targets and checks of the first schema are judged on where they were', async (t) => {
  const before = await mkdtemp(join(tmpdir(), 'monitor-migrations-'))
  t.teardown(() => rm(before, { recursive: true }))
  await copyFile(join(folder, FIRST), join(before, FIRST))
  const databases = await testDatabase(t, { services: ['monitor'], folders: { monitor: before } })
  const sql = await adminOf(t, databases.adminUrl)
  const own = { organization_id: newId(), component_id: newId() }
  const checkedAt = new Date()
  await sql`INSERT INTO monitor.targets ${sql({
    ...own,
    version: 3,
    shard: shardOf(own.component_id),
    name: 'API',
    is_enabled: true,
    url: 'http://a.example.com/',
    method: 'GET',
    interval_seconds: 60,
    timeout_ms: 1000,
    failure_threshold: 3,
    recovery_threshold: 1,
    headers: '[]',
    conditions: '[]',
  })}`
  await sql`INSERT INTO monitor.target_states
    ${sql({ ...own, revision: 7, derived_status: 'major_outage', runs: '{}' })}`
  await sql`INSERT INTO monitor.checks ${sql({
    ...own,
    slot_at: checkedAt,
    location: 'default',
    trigger: 'schedule',
    id: newId(),
    checked_at: checkedAt,
    status: 'FAILURE',
    status_code: 500,
    condition_results: '[]',
  })}`
  await sql`INSERT INTO monitor.check_hours
    ${sql({ ...own, hour_at: checkedAt, checks: 1, successes: 0, response_ms_sum: 0 })}`

  const password = new URL(databases.url('monitor')).password
  await migrateAll({
    adminUrl: databases.adminUrl,
    services: [{ name: 'monitor', folder, password }],
  })
  const [stored] = await sql`SELECT status, tls_ms FROM monitor.checks`
  t.match(stored, { status: 'FAILURE', tls_ms: null })
  t.match(await sql`SELECT location, checks FROM monitor.check_hours`, [
    { location: 'default', checks: 1 },
  ])

  const database = await databases.database('monitor')
  const by = { organizationId: own.organization_id, actor: systemActor }
  const target = { ...by, componentId: own.component_id, timeoutMs: 1000 }
  const result = {
    ...({ status: 'SUCCESS', statusCode: 200, responseMs: 1, error: null } as const),
    conditionResults: [],
    timings: noTimings,
    certificateExpiresAt: null,
    checkedAtMs: Date.now() + 1,
  }
  const when = { slotMs: result.checkedAtMs, location: 'default', trigger: 'schedule' } as const
  const row = checkRowOf(target, result, when)
  await transact(database, by, async (scope) => {
    const made = { target, result, row, lease: null }
    const { events } = await recordChecks(scope, 'default', [made])
    return { result: undefined, events, audit: [] }
  })
  const events = await sql`SELECT kind, aggregate_version AS version FROM monitor.outbox
    WHERE kind LIKE 'monitor.%'`
  t.same(events, [{ kind: 'monitor.recovered', version: 8 }], 'later than the previous event')
})

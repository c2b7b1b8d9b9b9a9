/**
 * A replica that loses its shards while thousands of checks are queued runs none of them and
 * continues.
 */

import { newId } from '@status-page/postgres'
import { shardOf } from '@status-page/schedule'
import { eventually, testDatabase } from '@status-page/testing'
import t from 'tap'
import {
  adminOf,
  manualClock,
  setup,
  startReplica,
  successfulProbe,
} from '../../monitor.fixture.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

/** More queued checks than the stack could hold if each one started the next. */
const WAITING = 20_000

t.test('waiting checks are dropped when their shards are lost', async (t) => {
  const { database, adminUrl } = await setup(t)
  const sql = await adminOf(t, adminUrl)
  const own = { organization_id: newId() }
  const settings = {
    kind: 'http',
    url: 'http://a.example.com/',
    method: 'GET',
    headers: [],
    body: null,
    conditions: [],
  }
  const ids = Array.from({ length: WAITING }, newId)
  await sql`INSERT INTO monitor.targets (organization_id, component_id, version, shard, name,
      is_enabled, probe, interval_seconds, timeout_ms, failure_threshold,
      recovery_threshold)
    SELECT ${own.organization_id}, id, 1, shard, 'API', true,
      ${sql.json(settings)}, 60, 1000, 3, 2
    FROM unnest(${ids}::uuid[], ${ids.map(shardOf)}::smallint[]) AS t(id, shard)`
  for (const table of ['target_states', 'target_verdicts']) {
    await sql`INSERT INTO ${sql(`monitor.${table}`)} (organization_id, component_id)
      SELECT organization_id, component_id FROM monitor.targets`
  }
  const clock = manualClock()
  const gate = Promise.withResolvers<void>()
  let skipped = 0
  const replica = await startReplica(t, database, clock, {
    leases: { ttlMs: 600_000, renewMs: 300_000 },
    onSkipped: (reason, count) => {
      if (reason === 'lease_lost') skipped += count
    },
    runProbe: async () => {
      await gate.promise
      return successfulProbe(clock.now())
    },
  })
  clock.advance(60_000)
  const { waiting } = replica.gauges()
  t.ok(waiting > WAITING / 2)
  await sql`
    WITH other AS (
      INSERT INTO monitor.replica VALUES (gen_random_uuid(), 'default', 'infinity') RETURNING id)
    UPDATE monitor.shard_lease SET owner = other.id FROM other`
  await sql`SELECT pg_notify('monitor_shards', 'default')`
  await eventually(() => replica.shards.held().length === 0)
  gate.resolve()
  await eventually(() => replica.gauges().waiting === 0, { timeoutMs: 30_000 })
  t.ok(skipped >= waiting - 4 * 256, 'all except those in flight')
})

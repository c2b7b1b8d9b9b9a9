/** Heartbeats as the events of core and earlier pings would have left them. */
import { newId } from '@status-page/postgres'
import { shardOf } from '@status-page/schedule'
import { hashToken, randomToken } from '@status-page/secrets'
import type postgres from 'postgres'

const PROBE = {
  kind: 'heartbeat',
  schedule: null,
  periodSeconds: 3_600,
  startGraceSeconds: 60,
  maxRunSeconds: null,
  minRunSeconds: null,
}
/** State after successful pings, which later ones do not change. */
const STEADY_RUNS = { good: [1, '2026-01-01T00:00:00.000Z'] }
const ROWS_PER_INSERT = 5_000

interface InsertedHeartbeats {
  count: number
  perOrganization: number
  expectedAt: Date
  dueAt: Date
}

/** Inserts heartbeats; returns their tokens. */
export const insertHeartbeats = async (
  sql: postgres.Sql,
  { count, perOrganization, expectedAt, dueAt }: InsertedHeartbeats,
): Promise<string[]> => {
  const tokens = Array.from({ length: count }, () => randomToken())
  for (let start = 0; start < count; start += ROWS_PER_INSERT) {
    const chunk = tokens.slice(start, start + ROWS_PER_INSERT)
    const ids = chunk.map(() => newId())
    const organizations = ids.map((_id, index) => ids[index - (index % perOrganization)] ?? '')
    await sql`
      INSERT INTO monitor.targets (organization_id, component_id, version, shard, name, is_enabled,
        probe, failure_threshold, recovery_threshold)
      SELECT organization_id, id, 1, shard, 'Job', true, ${sql.json(PROBE)}, 1, 1
      FROM unnest(${organizations}::uuid[], ${ids}::uuid[], ${ids.map(shardOf)}::smallint[])
        AS t(organization_id, id, shard)`
    await sql`INSERT INTO monitor.target_states (organization_id, component_id, runs)
      SELECT organization_id, id, ${sql.json(STEADY_RUNS)}
      FROM unnest(${organizations}::uuid[], ${ids}::uuid[]) AS t(organization_id, id)`
    await sql`INSERT INTO monitor.target_verdicts (organization_id, component_id)
      SELECT * FROM unnest(${organizations}::uuid[], ${ids}::uuid[])`
    await sql`
      INSERT INTO monitor.heartbeats (organization_id, component_id, shard, token_hash,
        expected_at, due_at)
      SELECT organization_id, id, shard, token_hash, ${expectedAt}, ${dueAt}
      FROM unnest(${organizations}::uuid[], ${ids}::uuid[], ${ids.map(shardOf)}::smallint[],
        ${chunk.map((token) => hashToken(token))}::text[]) AS t(organization_id, id, shard, token_hash)`
  }
  await sql`ANALYZE monitor.targets, monitor.target_states, monitor.heartbeats`
  return tokens
}

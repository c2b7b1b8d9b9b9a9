/** Rows of heartbeats and of their pings. A writer has locked the row of the heartbeat. */
import { DEFAULT_LOCATION, MAX_STORED_PINGS } from '@status-page/contracts'
import {
  asWorkerRaw,
  type Database,
  isAnyOf,
  type Scope,
  type SystemScope,
  tenantTable,
} from '@status-page/postgres'
import { and, desc, eq, getTableColumns, inArray, isNull, lte, sql } from 'drizzle-orm'
import { heartbeatPings, heartbeats, targetStates, targets, targetVerdicts } from '../tables.ts'
import {
  columnOf,
  isOfTargets,
  keyColumns,
  type RecordingScope,
  type TargetKey,
} from '../target-key.ts'
import type { TargetRow } from '../targets/store.ts'
import type { TargetState } from '../verdicts/rules.ts'

export type HeartbeatRow = typeof heartbeats.$inferSelect
export type PingRow = typeof heartbeatPings.$inferSelect

const rows = tenantTable(heartbeats)

const ofComponent = (componentId: string) => eq(heartbeats.componentId, componentId)

export const findHeartbeat = async (
  scope: Scope,
  componentId: string,
): Promise<HeartbeatRow | undefined> => (await rows.select(scope, ofComponent(componentId)))[0]

/** Locks heartbeats in order of their components; unknown ones are absent. */
export const lockHeartbeats = (
  scope: Scope,
  componentIds: readonly string[],
): Promise<HeartbeatRow[]> =>
  rows
    .select(scope, isAnyOf(heartbeats.componentId, componentIds))
    .orderBy(heartbeats.componentId)
    .for('update')

export const insertHeartbeat = async (
  { tx, organizationId }: Scope,
  key: Pick<HeartbeatRow, 'componentId' | 'shard'>,
): Promise<void> => {
  await tx
    .insert(heartbeats)
    .values({ organizationId, ...key })
    .onConflictDoNothing()
}

export const saveHeartbeat = (
  scope: Scope,
  componentId: string,
  change: Partial<Omit<HeartbeatRow, 'organizationId' | 'componentId'>>,
): Promise<void> => rows.update(scope, change, ofComponent(componentId))

/** Deletes the heartbeat of a component with its token and pings, if it has one. */
export const removeHeartbeat = async (scope: Scope, componentId: string): Promise<void> => {
  await rows.removeAll(scope, ofComponent(componentId))
}

/** Changes of heartbeats whose rows are locked. */
export type SavedHeartbeat = TargetKey &
  Pick<HeartbeatRow, 'lastPingAt' | 'pings' | 'expectedAt' | 'runs' | 'dueAt'>

/** Saves heartbeats in one statement; with the scope of a worker, those of many organizations. */
export const saveHeartbeats = async (
  { tx }: RecordingScope,
  rows: readonly SavedHeartbeat[],
): Promise<void> => {
  if (rows.length === 0) return
  const column = (read: (row: SavedHeartbeat) => string | number | null) => columnOf(rows, read)
  const times = (read: (row: SavedHeartbeat) => Date | null) =>
    column((row) => read(row)?.toISOString() ?? null)
  await tx.execute(sql`
    UPDATE heartbeats h SET last_ping_at = c.last_ping_at::timestamptz, pings = c.pings,
      expected_at = c.expected_at::timestamptz, runs = c.runs::jsonb,
      due_at = c.due_at::timestamptz
    FROM unnest(${keyColumns(rows)}, ${times((row) => row.lastPingAt)}::text[],
      ${column((row) => row.pings)}::int[], ${times((row) => row.expectedAt)}::text[],
      ${column((row) => JSON.stringify(row.runs))}::text[], ${times((row) => row.dueAt)}::text[])
      AS c(organization_id, component_id, last_ping_at, pings, expected_at, runs, due_at)
    WHERE h.organization_id = c.organization_id AND h.component_id = c.component_id`)
}

/** Stores pings in place of the oldest ones, in order; of one position the last remains. */
export const savePings = async (
  { tx }: RecordingScope,
  pings: readonly PingRow[],
): Promise<void> => {
  const byPosition = new Map(
    pings.map((ping) => [`${ping.componentId} ${ping.position}`, ping] as const),
  )
  const rows = [...byPosition.values()]
  if (rows.length === 0) return
  const column = (read: (row: PingRow) => string | number | null) => columnOf(rows, read)
  await tx.execute(sql`
    INSERT INTO heartbeat_pings (organization_id, component_id, position, received_at, kind,
      exit_code, run, duration_ms, body)
    SELECT organization_id, component_id, position, received_at::timestamptz, kind, exit_code, run,
      duration_ms, body
    FROM unnest(${keyColumns(rows)}, ${column((row) => row.position)}::smallint[],
      ${column((row) => row.receivedAt.toISOString())}::text[], ${column((row) => row.kind)}::text[],
      ${column((row) => row.exitCode)}::smallint[], ${column((row) => row.run)}::text[],
      ${column((row) => row.durationMs)}::bigint[], ${column((row) => row.body)}::text[])
      AS c(organization_id, component_id, position, received_at, kind, exit_code, run, duration_ms,
        body)
    ON CONFLICT (organization_id, component_id, position) DO UPDATE SET
      received_at = excluded.received_at, kind = excluded.kind, exit_code = excluded.exit_code,
      run = excluded.run, duration_ms = excluded.duration_ms, body = excluded.body`)
}

/** Stored pings, newest first. */
export const listPings = (scope: Scope, componentId: string): Promise<PingRow[]> =>
  tenantTable(heartbeatPings)
    .select(scope, eq(heartbeatPings.componentId, componentId))
    .orderBy(desc(heartbeatPings.receivedAt))
    .limit(MAX_STORED_PINGS)

export const listExpectedPings = async (
  scope: Scope,
  componentIds: readonly string[],
): Promise<Map<string, Date | null>> => {
  if (componentIds.length === 0) return new Map()
  const found = await rows.select(scope, isAnyOf(heartbeats.componentId, componentIds))
  return new Map(found.map(({ componentId, expectedAt }) => [componentId, expectedAt]))
}

type PingedTarget = Pick<
  TargetRow,
  | 'organizationId'
  | 'componentId'
  | 'probe'
  | 'isEnabled'
  | 'failureThreshold'
  | 'recoveryThreshold'
>

/** Heartbeat with the settings that its pings need. */
export interface PingedHeartbeat {
  row: Omit<HeartbeatRow, 'shard' | 'tokenIssuedAt'>
  target: PingedTarget
  /** State at the default location; null without one. */
  state: TargetState | null
}

/**
 * Locks the heartbeats of the tokens, of any organization. Those that another transaction has
 * locked are absent. A state is read after the lock, because a statement reads it from before it.
 */
export const lockByTokens = async (
  { tx }: SystemScope,
  tokenHashes: readonly string[],
): Promise<PingedHeartbeat[]> => {
  const { shard: _shard, tokenIssuedAt: _issued, ...columns } = getTableColumns(heartbeats)
  const rows = await tx
    .select(columns)
    .from(heartbeats)
    .where(inArray(heartbeats.tokenHash, [...tokenHashes]))
    .orderBy(heartbeats.componentId)
    .for('update', { skipLocked: true })
  if (rows.length === 0) return []
  const { organizationId, componentId, probe, isEnabled, recoveryThreshold } = targets
  const { failureThreshold } = targets
  const { derivedStatus, runs } = targetStates
  const found = await tx
    .select({
      target: {
        organizationId,
        componentId,
        probe,
        isEnabled,
        failureThreshold,
        recoveryThreshold,
      },
      state: { derivedStatus, runs },
    })
    .from(targets)
    .leftJoin(
      targetStates,
      and(
        eq(targetStates.organizationId, organizationId),
        eq(targetStates.componentId, componentId),
        eq(targetStates.location, DEFAULT_LOCATION),
      ),
    )
    .where(
      and(
        inArray(
          componentId,
          rows.map((row) => row.componentId),
        ),
        isNull(targets.deletedAt),
      ),
    )
  const byComponent = new Map(found.map((one) => [one.target.componentId, one]))
  return rows.flatMap((row) => {
    const one = byComponent.get(row.componentId)
    return one === undefined ? [] : [{ row, ...one }]
  })
}

/** Heartbeats by the hash of their token; unknown ones are absent. */
export const findByTokens = async (
  { tx }: SystemScope,
  tokenHashes: readonly string[],
): Promise<Map<string, Pick<HeartbeatRow, 'organizationId' | 'componentId'>>> => {
  const { organizationId, componentId, tokenHash } = heartbeats
  const rows = await tx
    .select({ organizationId, componentId, tokenHash })
    .from(heartbeats)
    .where(inArray(tokenHash, [...tokenHashes]))
  return new Map(rows.map(({ tokenHash: hash, ...owner }) => [hash ?? '', owner]))
}

/** Due heartbeats among which organizations take turns; the oldest ones. */
const LOOK_AHEAD = 20_000

/** Due heartbeats of the shards: organizations in turn, those of one by their time. */
export const findDue = (
  database: Database,
  { shards, limit }: { shards: readonly number[]; limit: number },
): Promise<TargetKey[]> =>
  asWorkerRaw(
    database,
    ({ sql }) => sql<TargetKey[]>`
      SELECT organization_id AS "organizationId", component_id AS "componentId"
      FROM (
        SELECT organization_id, component_id, due_at,
          row_number() OVER (PARTITION BY organization_id ORDER BY due_at) AS turn
        FROM (
          SELECT organization_id, component_id, due_at FROM heartbeats
          WHERE due_at <= now() AND shard = ANY (${[...shards]}::smallint[])
          ORDER BY due_at LIMIT ${LOOK_AHEAD}) oldest) due
      ORDER BY turn, due_at LIMIT ${limit}`,
  )

/**
 * Locks heartbeats that are still due, and their verdicts, of any organization. Those of which
 * another transaction has locked one are absent: they delay no other.
 */
export const lockDue = (
  { tx }: SystemScope,
  keys: readonly TargetKey[],
): Promise<
  Pick<HeartbeatRow, keyof TargetKey | 'lastPingAt' | 'pings' | 'expectedAt' | 'runs'>[]
> => {
  const { organizationId, componentId, lastPingAt, pings, expectedAt, runs, dueAt } = heartbeats
  return tx
    .select({ organizationId, componentId, lastPingAt, pings, expectedAt, runs })
    .from(heartbeats)
    .innerJoin(
      targetVerdicts,
      and(
        eq(targetVerdicts.organizationId, organizationId),
        eq(targetVerdicts.componentId, componentId),
      ),
    )
    .where(and(isOfTargets(heartbeats, keys), lte(dueAt, sql`now()`)))
    .orderBy(componentId)
    .for('update', { skipLocked: true })
}

/** Rows of heartbeats and of their pings. A writer has locked the row of the heartbeat. */
import { MAX_STORED_PINGS } from '@status-page/contracts'
import {
  asWorkerRaw,
  type Database,
  type Scope,
  type SystemScope,
  tenantTable,
} from '@status-page/postgres'
import { desc, eq, inArray } from 'drizzle-orm'
import { heartbeatPings, heartbeats } from '../tables.ts'

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
    .select(scope, inArray(heartbeats.componentId, [...componentIds]))
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

/** Stores a ping in place of the oldest one. */
export const savePing = async ({ tx }: Scope, row: PingRow): Promise<void> => {
  await tx
    .insert(heartbeatPings)
    .values(row)
    .onConflictDoUpdate({
      target: [heartbeatPings.organizationId, heartbeatPings.componentId, heartbeatPings.position],
      set: row,
    })
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
  const found = await rows.select(scope, inArray(heartbeats.componentId, [...componentIds]))
  return new Map(found.map(({ componentId, expectedAt }) => [componentId, expectedAt]))
}

export const findByToken = async (
  { tx }: SystemScope,
  tokenHash: string,
): Promise<Pick<HeartbeatRow, 'organizationId' | 'componentId'> | undefined> => {
  const { organizationId, componentId } = heartbeats
  const [row] = await tx
    .select({ organizationId, componentId })
    .from(heartbeats)
    .where(eq(heartbeats.tokenHash, tokenHash))
  return row
}

/** Due heartbeats of one organization. */
export interface DueHeartbeats {
  organizationId: string
  componentIds: string[]
}

/** Heartbeats of the shards that are due, by organization; those that are due first. */
export const findDue = (
  database: Database,
  { shards, limit }: { shards: readonly number[]; limit: number },
): Promise<DueHeartbeats[]> =>
  asWorkerRaw(
    database,
    ({ sql }) => sql<DueHeartbeats[]>`
      SELECT organization_id AS "organizationId", array_agg(component_id) AS "componentIds"
      FROM (
        SELECT organization_id, component_id FROM heartbeats
        WHERE due_at <= now() AND shard = ANY (${[...shards]}::smallint[])
        ORDER BY due_at LIMIT ${limit}) due
      GROUP BY organization_id`,
  )

/** Checks and states of one organization. Who writes a state has locked its row. */
import type { EventDraft } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { and, eq, inArray, sql } from 'drizzle-orm'
import { checkHours, checks, targetStates } from '../tables.ts'
import { factOf, initialState, judge, type Result, type TargetState } from './rules.ts'

export type CheckRow = typeof checks.$inferSelect

/** Whose result it is: a lease that ended since lets a result move no state. */
export interface LeaseMark {
  location: string
  shard: number
  epoch: number
}

export interface Recorded {
  target: {
    organizationId: string
    componentId: string
    name: string
    timeoutMs: number
    failureThreshold: number
    recoveryThreshold: number
  }
  result: Result
  row: CheckRow
  /** Null for a check on demand, which any replica may make. */
  lease: LeaseMark | null
}

export interface StoredState {
  state: TargetState
  revision: number
}

/** A target that was never checked begins as operational. */
export const ensureState = async (
  { organizationId, tx }: Scope,
  componentId: string,
): Promise<void> => {
  const { derivedStatus, runs } = initialState
  await tx
    .insert(targetStates)
    .values({ organizationId, componentId, derivedStatus, runs })
    .onConflictDoNothing()
}

/** What was counted before a pause is no run together with what comes after it. */
export const restartRuns = async (scope: Scope, componentId: string): Promise<void> => {
  await scope.tx
    .update(targetStates)
    .set({ runs: {}, revision: sql`${targetStates.revision} + 1` })
    .where(ofTarget(scope, componentId))
}

export const checkRowOf = (
  target: { organizationId: string; componentId: string },
  result: Result,
  when: { slotMs: number; location: string; trigger: 'schedule' | 'manual' },
): CheckRow => ({
  organizationId: target.organizationId,
  componentId: target.componentId,
  slotAt: new Date(when.slotMs),
  location: when.location,
  trigger: when.trigger,
  id: newId(),
  checkedAt: new Date(result.checkedAtMs),
  status: result.status,
  statusCode: result.statusCode,
  responseMs: result.responseMs,
  error: result.error,
  conditionResults: result.conditionResults,
})

/** Stores the check; false if its slot already has one. */
export const insertCheck = async ({ tx }: Scope, row: CheckRow): Promise<boolean> => {
  const stored = await tx
    .insert(checks)
    .values(row)
    .onConflictDoNothing()
    .returning({ id: checks.id })
  if (stored.length === 0) return false
  const isSuccess = row.status === 'SUCCESS'
  await tx
    .insert(checkHours)
    .values({
      organizationId: row.organizationId,
      componentId: row.componentId,
      hourAt: startOfHour(row.slotAt),
      checks: 1,
      successes: isSuccess ? 1 : 0,
      responseMsSum: isSuccess ? (row.responseMs ?? 0) : 0,
    })
    .onConflictDoUpdate({
      target: [checkHours.organizationId, checkHours.componentId, checkHours.hourAt],
      set: {
        checks: sql`${checkHours.checks} + excluded.checks`,
        successes: sql`${checkHours.successes} + excluded.successes`,
        responseMsSum: sql`${checkHours.responseMsSum} + excluded.response_ms_sum`,
      },
    })
  return true
}

/** Stores one check and what follows from it; null as the state if it was not for it to move. */
export const recordCheck = async (
  scope: Scope,
  { target, result, row, lease }: Recorded,
): Promise<{ stored: StoredState | null; events: EventDraft[] }> => {
  if (!(await insertCheck(scope, row))) return { stored: null, events: [] }
  const locked = await lockState(scope, target.componentId, lease)
  if (locked === null) return { stored: null, events: [] }
  const { state, changedSince } = judge(locked.state, result, target)
  if (state === locked.state) return { stored: locked, events: [] }
  const revision = locked.revision + 1
  await scope.tx
    .update(targetStates)
    .set({ ...state, revision, updatedAt: sql`now()` })
    .where(ofTarget(scope, target.componentId))
  if (changedSince === null) return { stored: { state, revision }, events: [] }
  const event = factOf(target, { state, changedSince, version: revision }, result)
  return { stored: { state, revision }, events: [event] }
}

const lockState = async (
  scope: Scope,
  componentId: string,
  lease: LeaseMark | null,
): Promise<StoredState | null> => {
  const [row] = await scope.tx
    .select()
    .from(targetStates)
    .where(ofTarget(scope, componentId))
    .for('update')
  if (row === undefined || !(lease === null || (await isCurrent(scope, lease)))) return null
  const { derivedStatus, runs, revision } = row
  return { state: { derivedStatus, runs }, revision }
}

const isCurrent = async ({ tx }: Scope, { location, shard, epoch }: LeaseMark) => {
  const rows = await tx.execute(sql`SELECT 1 FROM shard_lease
    WHERE location = ${location} AND shard = ${shard} AND epoch = ${epoch}`)
  return rows.length > 0
}

export const listStates = (scope: Scope, componentIds: readonly string[]) =>
  scope.tx
    .select()
    .from(targetStates)
    .where(
      and(
        eq(targetStates.organizationId, scope.organizationId),
        inArray(targetStates.componentId, [...componentIds]),
      ),
    )

/** The newest checks of each target, newest first: one walk down the key for each. */
export const listNewest = async (
  { organizationId, tx }: Scope,
  componentIds: readonly string[],
  perTarget: number,
): Promise<CheckRow[]> => {
  if (componentIds.length === 0) return []
  const ids = sql`${`{${componentIds.join(',')}}`}::uuid[]`
  const newest = tx
    .select()
    .from(checks)
    .where(and(eq(checks.organizationId, organizationId), sql`${checks.componentId} = wanted.id`))
    .orderBy(sql`${checks.slotAt} DESC`)
    .limit(perTarget)
    .as('newest')
  return tx
    .select(newest._.selectedFields)
    .from(sql`unnest(${ids}) AS wanted(id)`)
    .innerJoinLateral(newest, sql`true`) as unknown as Promise<CheckRow[]>
}

const FIGURE_HOURS = 24

/** Mean milliseconds of the successful checks of the last day, by component. */
export const averageResponseTimes = async (
  { organizationId, tx }: Scope,
  componentIds: readonly string[],
): Promise<Map<string, number | null>> => {
  const rows = await tx
    .select({
      id: checkHours.componentId,
      mean: sql<number | null>`round(sum(${checkHours.responseMsSum})::numeric
        / nullif(sum(${checkHours.successes}), 0))::float8`,
    })
    .from(checkHours)
    .where(
      and(
        eq(checkHours.organizationId, organizationId),
        inArray(checkHours.componentId, [...componentIds]),
        sql`${checkHours.hourAt} > now() - ${FIGURE_HOURS} * interval '1 hour'`,
      ),
    )
    .groupBy(checkHours.componentId)
  return new Map(rows.map(({ id, mean }) => [id, mean]))
}

const HOUR_MS = 3_600_000

const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)

const ofTarget = ({ organizationId }: Scope, componentId: string) =>
  and(eq(targetStates.organizationId, organizationId), eq(targetStates.componentId, componentId))

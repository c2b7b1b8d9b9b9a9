/** Checks and states of one organization. Who writes a state has locked its row. */
import { certificateExpiring, type EventDraft, emit } from '@status-page/contracts'
import { newId, type Scope } from '@status-page/postgres'
import { and, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { checkHours, checks, targetStates, targetVerdicts } from '../tables.ts'
import { LATE_AFTER } from './late.ts'
import { factOf, initialState, judge, judgeHeld, type Result, type TargetState } from './rules.ts'
import {
  type Certificate,
  combine,
  isFlapping,
  judgeCertificate,
  type Locations,
  locationsOf,
  withChange,
} from './verdict.ts'

export type CheckRow = typeof checks.$inferSelect

/** Whose result it is: a lease that ended since lets a result move no state. */
export interface LeaseMark {
  location: string
  shard: number
  epoch: number
}

export interface JudgedTarget extends Locations {
  organizationId: string
  componentId: string
  name: string
  timeoutMs: number
  failureThreshold: number
  recoveryThreshold: number
}

export interface Recorded {
  target: JudgedTarget
  result: Result
  row: CheckRow
  /** Null for a check on demand, which any replica may make. */
  lease: LeaseMark | null
}

export interface StoredState {
  state: TargetState
  revision: number
  certificate: Certificate
}

/** One state for each location; a target that was never checked there begins as operational. */
export const ensureStates = async (
  { organizationId, tx }: Scope,
  target: Locations & { componentId: string },
): Promise<void> => {
  const { componentId } = target
  const { derivedStatus, runs } = initialState
  const locations = locationsOf(target)
  await tx.insert(targetVerdicts).values({ organizationId, componentId }).onConflictDoNothing()
  await tx
    .insert(targetStates)
    .values(
      locations.map((location) => ({ organizationId, componentId, location, derivedStatus, runs })),
    )
    .onConflictDoNothing()
  await tx
    .delete(targetStates)
    .where(
      and(
        eq(targetStates.organizationId, organizationId),
        eq(targetStates.componentId, componentId),
        notInArray(targetStates.location, [...locations]),
      ),
    )
}

/** What was counted before a pause is no run together with what comes after it. */
export const restartRuns = async (scope: Scope, componentId: string): Promise<void> => {
  await scope.tx
    .update(targetStates)
    .set({ runs: {}, revision: sql`${targetStates.revision} + 1` })
    .where(ofTarget(targetStates, scope, componentId))
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
  dnsMs: result.timings.dns,
  connectMs: result.timings.connect,
  tlsMs: result.timings.tls,
  firstByteMs: result.timings.firstByte,
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
  await tx.execute(sql`INSERT INTO rollup_late (organization_id, component_id, location, hour_at)
    SELECT ${row.organizationId}, ${row.componentId}, ${row.location},
      ${startOfHour(row.slotAt).toISOString()}::timestamptz
    WHERE ${row.slotAt.toISOString()}::timestamptz < now() - ${LATE_AFTER}::interval
    ON CONFLICT DO NOTHING`)
  await tx
    .insert(checkHours)
    .values({
      organizationId: row.organizationId,
      componentId: row.componentId,
      hourAt: startOfHour(row.slotAt),
      location: row.location,
      checks: 1,
      successes: isSuccess ? 1 : 0,
      responseMsSum: isSuccess ? (row.responseMs ?? 0) : 0,
    })
    .onConflictDoUpdate({
      target: [
        checkHours.organizationId,
        checkHours.componentId,
        checkHours.hourAt,
        checkHours.location,
      ],
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
  // One order of locks for all: the verdict, then the state of a location.
  const verdict = await lockVerdict(scope, target.componentId)
  const locked = await lockState(scope, target.componentId, row.location)
  const isOurs = lease === null || (await isCurrent(scope, lease))
  if (verdict === undefined || locked === undefined || !isOurs) return { stored: null, events: [] }
  const { derivedStatus, runs, revision } = locked
  const before = { derivedStatus, runs }
  // A replica does not know of maintenances: what would decide comes here, and waits.
  const weigh = isHeld(verdict, new Date(result.checkedAtMs)) ? judgeHeld : judge
  const { state, changedSince } = weigh(before, result, target)
  const isSame = sameState(state, before)
  if (!isSame) await saveState(scope, target.componentId, row.location, state)
  const { certificate, events: warnings } = await seeCertificate(scope, target, result, verdict)
  const stored = { state, revision: isSame ? revision : revision + 1, certificate }
  if (changedSince === null) return { stored, events: warnings }
  const moved = { ...verdict, version: verdict.version + warnings.length }
  const told = await settleVerdict(scope, target, { verdict: moved, since: changedSince, result })
  return { stored, events: [...warnings, ...told] }
}

export type VerdictRow = typeof targetVerdicts.$inferSelect

export const lockVerdict = async (
  scope: Scope,
  componentId: string,
): Promise<VerdictRow | undefined> => {
  const rows = await scope.tx
    .select()
    .from(targetVerdicts)
    .where(ofTarget(targetVerdicts, scope, componentId))
    .for('update')
  return rows[0]
}

/** Results of checks that were begun before the end of a maintenance. */
const isHeld = ({ heldUntil }: VerdictRow, checkedAt: Date): boolean =>
  heldUntil !== null && checkedAt < heldUntil

/** The fact, if what the locations say together has changed. The verdict is locked. */
export const settleVerdict = async (
  scope: Scope,
  target: JudgedTarget,
  { verdict, since, result }: { verdict: VerdictRow; since: string; result: Result | null },
): Promise<EventDraft[]> => {
  const at = result === null ? scope.now : new Date(result.checkedAtMs)
  if (isHeld(verdict, at)) return []
  const states = await listStates(scope, [target.componentId])
  const derivedStatus = combine(
    target,
    states.map((state) => state.derivedStatus),
  )
  if (derivedStatus === verdict.derivedStatus) return []
  const changedAt = withChange(verdict.changedAt, at)
  const version = verdict.version + 1
  await scope.tx
    .update(targetVerdicts)
    .set({ derivedStatus, changedAt, version })
    .where(ofTarget(targetVerdicts, scope, target.componentId))
  const change = { derivedStatus, since, version, isFlapping: isFlapping(changedAt, at) }
  return [factOf(target, change, result)]
}

/** Keeps what was seen of the certificate, and warns where it is time. The verdict is locked. */
const seeCertificate = async (
  scope: Scope,
  { componentId, name }: JudgedTarget,
  { certificateExpiresAt: seen, checkedAtMs }: Result,
  { certificateExpiresAt: expiresAt, certificateWarnedDays: warnedDays, version }: VerdictRow,
): Promise<{ certificate: Certificate; events: EventDraft[] }> => {
  const known = { expiresAt, warnedDays }
  const news = judgeCertificate(known, seen === null ? null : new Date(seen), new Date(checkedAtMs))
  if (news === null) return { certificate: known, events: [] }
  const { certificate, daysLeft } = news
  const isTold = daysLeft !== null
  await scope.tx
    .update(targetVerdicts)
    .set({
      certificateExpiresAt: certificate.expiresAt,
      certificateWarnedDays: certificate.warnedDays,
      version: isTold ? version + 1 : version,
    })
    .where(ofTarget(targetVerdicts, scope, componentId))
  if (!isTold || certificate.expiresAt === null) return { certificate, events: [] }
  const about = { componentId, name, expiresAt: certificate.expiresAt.toISOString(), daysLeft }
  const aggregate = { id: componentId, version: version + 1 }
  return { certificate, events: [emit(certificateExpiring, aggregate, { certificate: about })] }
}

const sameState = (left: TargetState, right: TargetState): boolean =>
  left === right ||
  (left.derivedStatus === right.derivedStatus &&
    JSON.stringify(left.runs) === JSON.stringify(right.runs))

const saveState = (scope: Scope, componentId: string, location: string, state: TargetState) =>
  scope.tx
    .update(targetStates)
    .set({ ...state, revision: sql`${targetStates.revision} + 1`, updatedAt: sql`now()` })
    .where(and(ofTarget(targetStates, scope, componentId), eq(targetStates.location, location)))

const lockState = async (scope: Scope, componentId: string, location: string) => {
  const [row] = await scope.tx
    .select()
    .from(targetStates)
    .where(and(ofTarget(targetStates, scope, componentId), eq(targetStates.location, location)))
    .for('update')
  return row
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

export const listVerdicts = (scope: Scope, componentIds: readonly string[]) =>
  scope.tx
    .select()
    .from(targetVerdicts)
    .where(
      and(
        eq(targetVerdicts.organizationId, scope.organizationId),
        inArray(targetVerdicts.componentId, [...componentIds]),
      ),
    )

const HOUR_MS = 3_600_000

const startOfHour = (time: Date): Date => new Date(Math.floor(time.getTime() / HOUR_MS) * HOUR_MS)

const ofTarget = (
  table: typeof targetStates | typeof targetVerdicts,
  { organizationId }: Scope,
  componentId: string,
) => and(eq(table.organizationId, organizationId), eq(table.componentId, componentId))

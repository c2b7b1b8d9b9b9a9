/** States and verdicts of one organization. Who writes one has locked its row. */
import {
  certificateExpiring,
  type EventDraft,
  emit,
  isFlapping,
  withChange,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { and, eq, inArray, isNull, notInArray, sql } from 'drizzle-orm'
import { targetStates, targets, targetVerdicts } from '../tables.ts'
import { type CheckRow, insertCheck } from './rows.ts'
import { factOf, initialState, judge, judgeHeld, type Result, type TargetState } from './rules.ts'
import {
  type Certificate,
  combine,
  judgeCertificate,
  type Locations,
  locationsOf,
  warnedOf,
} from './verdict.ts'
import { listHeard } from './voices.ts'

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
  intervalSeconds: number
  failureThreshold: number
  recoveryThreshold: number
}

export interface Recorded {
  target: Pick<JudgedTarget, 'organizationId' | 'componentId' | 'timeoutMs'>
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

/** One state for each location; a new one begins with what all say: it has seen no recovery yet. */
export const ensureStates = async (
  scope: Scope,
  target: Locations & { componentId: string },
): Promise<void> => {
  const { organizationId, tx } = scope
  const { componentId } = target
  const { runs } = initialState
  const locations = locationsOf(target)
  await tx.insert(targetVerdicts).values({ organizationId, componentId }).onConflictDoNothing()
  const { derivedStatus } = (await lockVerdict(scope, componentId)) ?? initialState
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

/** Stores one check and what follows from it; null as the state if it was not for it to move. */
export const recordCheck = async (
  scope: Scope,
  { target: checked, result, row, lease }: Recorded,
): Promise<{ stored: StoredState | null; events: EventDraft[] }> => {
  const { componentId, timeoutMs } = checked
  // One order of locks for all: the verdict, the state of a location, checks and their hour.
  const verdict = await lockVerdict(scope, componentId)
  const locked = await lockState(scope, componentId, row.location)
  const isStored = await insertCheck(scope, row)
  const isOurs = lease === null || (await isCurrent(scope, lease))
  // As it is now: it may have been disabled, or got other locations, while the check was made.
  const now = await findEnabled(scope, componentId)
  if (!isStored || !isOurs || verdict === undefined || locked === undefined || now === undefined) {
    return { stored: null, events: [] }
  }
  const target = { ...now, timeoutMs }
  const { derivedStatus, runs, revision } = locked
  const before = { derivedStatus, runs }
  // A replica does not know of maintenances: what would decide comes here, and waits.
  const weigh = isHeld(verdict, new Date(result.checkedAtMs)) ? judgeHeld : judge
  const { state, changedSince } = weigh(before, result, target)
  const isSame = sameState(state, before)
  if (!isSame) await saveState(scope, target.componentId, row.location, state)
  const { certificate, events: warnings } = await seeCertificate(scope, target, {
    ...{ result, location: row.location, version: verdict.version },
    known: {
      expiresAt: locked.certificateExpiresAt,
      warned: warnedOf(verdict.warnedExpiresAt, verdict.certificateWarnedDays),
    },
  })
  const stored = { state, revision: isSame ? revision : revision + 1, certificate }
  if (changedSince === null) return { stored, events: warnings }
  const moved = { ...verdict, version: verdict.version + warnings.length }
  const { location } = row
  const settling = { verdict: moved, since: changedSince, result, location }
  const told = await settleVerdict(scope, target, settling)
  return { stored, events: [...warnings, ...told] }
}

const findEnabled = async ({ organizationId, tx }: Scope, componentId: string) => {
  const own = and(eq(targets.organizationId, organizationId), eq(targets.componentId, componentId))
  const rows = await tx
    .select()
    .from(targets)
    .where(and(own, targets.isEnabled, isNull(targets.deletedAt)))
  return rows[0]
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
  { verdict, since, result, location = null }: Settling,
): Promise<EventDraft[]> => {
  const at = result === null ? scope.now : new Date(result.checkedAtMs)
  if (isHeld(verdict, at)) return []
  const derivedStatus = await combined(scope, target, location)
  if (derivedStatus === null || derivedStatus === verdict.derivedStatus) return []
  const changedAt = withChange(verdict.changedAt, at)
  const version = verdict.version + 1
  await scope.tx
    .update(targetVerdicts)
    .set({ derivedStatus, changedAt, version })
    .where(ofTarget(targetVerdicts, scope, target.componentId))
  const change = { derivedStatus, since, version, isFlapping: isFlapping(changedAt, at) }
  return [factOf(target, change, result)]
}

interface Settling {
  verdict: VerdictRow
  since: string
  result: Result | null
  /** Where the result is from. */
  location?: string | null
}

/** What those locations say that have a say; null where there is none. */
const combined = async (scope: Scope, target: JudgedTarget, speaking: string | null) => {
  const all = await listStates(scope, [target.componentId])
  const isOne = locationsOf(target).length === 1
  const heard = isOne ? null : await listHeard(scope, target)
  const states = all.filter(
    ({ location }) => heard === null || location === speaking || heard.has(location),
  )
  if (states.length === 0) return null
  const voices = { locations: states.map(({ location }) => location), quorum: target.quorum }
  return combine(
    voices,
    states.map((state) => state.derivedStatus),
  )
}

/** Keeps what was seen of the certificate, and warns where it is time. The verdict is locked. */
const seeCertificate = async (
  scope: Scope,
  { componentId, name }: JudgedTarget,
  { result, location, known, version }: SeenCertificate,
): Promise<{ certificate: Certificate; events: EventDraft[] }> => {
  const news = judgeCertificate(known, result)
  if (news === null) return { certificate: known, events: [] }
  const { certificate, daysLeft } = news
  const { expiresAt, warned } = certificate
  await scope.tx
    .update(targetStates)
    .set({ certificateExpiresAt: expiresAt })
    .where(and(ofTarget(targetStates, scope, componentId), eq(targetStates.location, location)))
  if (daysLeft === null || warned === null) return { certificate, events: [] }
  await scope.tx
    .update(targetVerdicts)
    .set({
      warnedExpiresAt: warned.expiresAt,
      certificateWarnedDays: warned.days,
      version: version + 1,
    })
    .where(ofTarget(targetVerdicts, scope, componentId))
  const about = { componentId, name, expiresAt: warned.expiresAt.toISOString(), daysLeft }
  const aggregate = { id: componentId, version: version + 1 }
  return { certificate, events: [emit(certificateExpiring, aggregate, { certificate: about })] }
}

interface SeenCertificate {
  result: Result
  location: string
  known: Certificate
  version: number
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

const ofTarget = (
  table: typeof targetStates | typeof targetVerdicts,
  { organizationId }: Scope,
  componentId: string,
) => and(eq(table.organizationId, organizationId), eq(table.componentId, componentId))

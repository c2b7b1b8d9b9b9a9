/** States and verdicts of targets. A writer has locked the row. */

import {
  appendChangeTime,
  type EventDraft,
  isFlapping,
  type ProbeResult,
} from '@status-page/contracts'
import { type Scope, tenantTable } from '@status-page/postgres'
import { and, eq, notInArray, sql } from 'drizzle-orm'
import { targetStates, targetVerdicts } from '../tables.ts'
import {
  columnOf,
  isOfTargets,
  keyColumns,
  type RecordingScope,
  type TargetKey,
} from '../target-key.ts'
import { listActiveLocations } from './location-heartbeats.ts'
import { initialState, monitorEventOf, type TargetState } from './rules.ts'
import {
  type CertificateChange,
  combine,
  isSuppressed,
  type Locations,
  locationsOf,
} from './verdict.ts'

export interface VerdictTarget extends Locations, TargetKey {
  name: string
  /** Null for a kind that waits for a push. */
  timeoutMs: number | null
  intervalSeconds: number | null
  failureThreshold: number
  recoveryThreshold: number
}

/**
 * Inserts a state per location. A new state starts with the combined status: it has seen no
 * recovery yet.
 */
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

/**
 * Resets the states of all locations, so that a target that is enabled again and still fails is
 * announced again. Locks the verdict first, like every change of a state.
 */
export const restartRuns = async (scope: Scope, componentId: string): Promise<void> => {
  await lockVerdict(scope, componentId)
  const revision = sql`${targetStates.revision} + 1`
  const change = { runs: {}, derivedStatus: 'operational' as const, revision }
  await states.update(scope, change, eq(targetStates.componentId, componentId))
}

export type VerdictRow = typeof targetVerdicts.$inferSelect

export type StateRow = typeof targetStates.$inferSelect

const states = tenantTable(targetStates)

export const lockVerdict = async (
  scope: Scope,
  componentId: string,
): Promise<VerdictRow | undefined> => {
  const { organizationId } = scope
  return (await lockVerdicts(scope, [{ organizationId, componentId }])).get(componentId)
}

/** Locks verdicts in order of their components. */
export const lockVerdicts = async (
  { tx }: RecordingScope,
  keys: readonly TargetKey[],
): Promise<Map<string, VerdictRow>> => {
  const rows = await tx
    .select()
    .from(targetVerdicts)
    .where(isOfTargets(targetVerdicts, keys))
    .orderBy(targetVerdicts.componentId)
    .for('update')
  return new Map(rows.map((row) => [row.componentId, row]))
}

/** Locks the verdicts that no other transaction has locked; returns their components. */
export const lockFreeVerdicts = async (
  { tx }: RecordingScope,
  keys: readonly TargetKey[],
): Promise<Set<string>> => {
  const { componentId } = targetVerdicts
  const rows = await tx
    .select({ componentId })
    .from(targetVerdicts)
    .where(isOfTargets(targetVerdicts, keys))
    .orderBy(componentId)
    .for('update', { skipLocked: true })
  return new Set(rows.map((row) => row.componentId))
}

/** States of one location by component; the verdicts are locked. */
export const lockStates = async (
  { tx }: RecordingScope,
  location: string,
  keys: readonly TargetKey[],
): Promise<Map<string, StateRow>> => {
  const rows = await tx
    .select()
    .from(targetStates)
    .where(and(isOfTargets(targetStates, keys), eq(targetStates.location, location)))
    .orderBy(targetStates.componentId)
    .for('update')
  return new Map(rows.map((row) => [row.componentId, row]))
}

export interface Settling {
  target: VerdictTarget
  verdict: VerdictRow
  since: string
  result: ProbeResult | null
  /** Location of the result. */
  location?: string | null
}

/** Returns events where the combined status of the locations changed. The verdicts are locked. */
export const settleVerdicts = async (
  scope: RecordingScope,
  settlings: readonly Settling[],
): Promise<EventDraft[]> => {
  const open = settlings.filter(
    ({ verdict, result }) => !isSuppressed(verdict, momentOf(scope, result)),
  )
  if (open.length === 0) return []
  const targets = open.map(({ target }) => target)
  const states = Map.groupBy(await listStates(scope, targets), ({ componentId }) => componentId)
  const moves: VerdictMove[] = []
  const events: EventDraft[] = []
  const activeLocationsOf = createActiveLocations(scope)
  for (const settling of open) {
    const { target, verdict, since, result, location = null } = settling
    const { organizationId, componentId } = target
    const active = locationsOf(target).length === 1 ? null : await activeLocationsOf(target)
    const derivedStatus = combined(target, states.get(componentId) ?? [], { active, location })
    if (derivedStatus === null || derivedStatus === verdict.derivedStatus) continue
    const at = momentOf(scope, result)
    const changedAt = appendChangeTime(verdict.changedAt, at)
    const version = verdict.version + 1
    moves.push({ organizationId, componentId, derivedStatus, changedAt, version })
    const change = { derivedStatus, since, version, isFlapping: isFlapping(changedAt, at) }
    events.push(monitorEventOf(target, change, result))
  }
  await saveVerdicts(scope, moves)
  return events
}

const momentOf = ({ now }: RecordingScope, result: ProbeResult | null): Date =>
  result === null ? now : new Date(result.checkedAtMs)

/** Queries active locations once per organization and check interval. */
const createActiveLocations = (scope: RecordingScope) => {
  const known = new Map<string, ReturnType<typeof listActiveLocations>>()
  return (target: VerdictTarget) => {
    const key = `${target.organizationId} ${target.intervalSeconds}`
    const locations = known.get(key) ?? listActiveLocations(scope, target)
    known.set(key, locations)
    return locations
  }
}

/** Combined status of the active locations; null without any. */
const combined = (
  target: VerdictTarget,
  all: readonly StateRow[],
  { active, location: checking }: { active: Set<string> | null; location: string | null },
) => {
  const states = all.filter(
    ({ location }) => active === null || location === checking || active.has(location),
  )
  if (states.length === 0) return null
  const voices = { locations: states.map(({ location }) => location), quorum: target.quorum }
  return combine(
    voices,
    states.map((state) => state.derivedStatus),
  )
}

interface VerdictMove extends TargetKey {
  derivedStatus: VerdictRow['derivedStatus']
  changedAt: Date[]
  version: number
}

const saveVerdicts = async ({ tx }: RecordingScope, moves: readonly VerdictMove[]) => {
  if (moves.length === 0) return
  const timesOf = ({ changedAt }: VerdictMove) => `{${changedAt.map((at) => at.toISOString())}}`
  await tx.execute(sql`
    UPDATE target_verdicts v SET derived_status = m.derived_status,
      changed_at = m.changed_at::timestamptz[], version = m.version
    FROM unnest(${keyColumns(moves)}, ${columnOf(moves, (move) => move.derivedStatus)}::text[],
      ${columnOf(moves, timesOf)}::text[], ${columnOf(moves, (move) => move.version)}::int[])
      AS m(organization_id, component_id, derived_status, changed_at, version)
    WHERE v.organization_id = m.organization_id AND v.component_id = m.component_id`)
}

export interface StateMove extends TargetKey {
  state: TargetState
}

/** Saves changed states, which are locked. */
export const saveStates = async (
  { tx }: RecordingScope,
  location: string,
  moves: readonly StateMove[],
): Promise<void> => {
  if (moves.length === 0) return
  await tx.execute(sql`
    UPDATE target_states s SET derived_status = m.derived_status, runs = m.runs::jsonb,
      revision = s.revision + 1, updated_at = now()
    FROM unnest(${keyColumns(moves)},
      ${columnOf(moves, ({ state }) => state.derivedStatus)}::text[],
      ${columnOf(moves, ({ state }) => JSON.stringify(state.runs))}::text[])
      AS m(organization_id, component_id, derived_status, runs)
    WHERE s.organization_id = m.organization_id AND s.component_id = m.component_id
      AND s.location = ${location}`)
}

/** Change of a target's certificate; `version` is that of the verdict with the warning. */
export interface CertificateMove extends CertificateChange, TargetKey {
  version: number
  names: ProbeResult['certificateNames']
}

/** Stores seen certificates and sent warnings. States and verdicts are locked. */
export const saveCertificates = async (
  { tx }: RecordingScope,
  location: string,
  moves: readonly CertificateMove[],
): Promise<void> => {
  if (moves.length === 0) return
  const expiries = columnOf(moves, (move) => move.certificate.expiresAt?.toISOString() ?? null)
  await tx.execute(sql`
    UPDATE target_states s SET certificate_expires_at = m.expires_at::timestamptz,
      certificate_subject = m.subject, certificate_issuer = m.issuer
    FROM unnest(${keyColumns(moves)}, ${expiries}::text[],
      ${columnOf(moves, ({ names }) => names?.subject ?? null)}::text[],
      ${columnOf(moves, ({ names }) => names?.issuer ?? null)}::text[])
      AS m(organization_id, component_id, expires_at, subject, issuer)
    WHERE s.organization_id = m.organization_id AND s.component_id = m.component_id
      AND s.location = ${location}`)
  const warnings = moves.filter(({ daysLeft }) => daysLeft !== null)
  if (warnings.length === 0) return
  await tx.execute(sql`
    UPDATE target_verdicts v SET warned_expires_at = m.expires_at::timestamptz,
      certificate_warned_days = m.days, version = m.version
    FROM unnest(${keyColumns(warnings)},
      ${columnOf(warnings, (move) => move.certificate.warned?.expiresAt.toISOString() ?? null)}::text[],
      ${columnOf(warnings, (move) => move.certificate.warned?.days ?? null)}::int[],
      ${columnOf(warnings, (move) => move.version)}::int[])
      AS m(organization_id, component_id, expires_at, days, version)
    WHERE v.organization_id = m.organization_id AND v.component_id = m.component_id`)
}

export const listStates = ({ tx }: RecordingScope, keys: readonly TargetKey[]) =>
  tx.select().from(targetStates).where(isOfTargets(targetStates, keys))

export const listTargetVerdicts = ({ tx }: RecordingScope, keys: readonly TargetKey[]) =>
  tx.select().from(targetVerdicts).where(isOfTargets(targetVerdicts, keys))

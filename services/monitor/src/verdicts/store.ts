/** States and verdicts of one organization. A writer has locked the row. */

import {
  appendChangeTime,
  type EventDraft,
  isFlapping,
  type ProbeResult,
} from '@status-page/contracts'
import { type Scope, tenantTable } from '@status-page/postgres'
import { and, eq, inArray, notInArray, sql } from 'drizzle-orm'
import { targetStates, targetVerdicts } from '../tables.ts'
import { listActiveLocations } from './location-heartbeats.ts'
import { factOf, initialState, type TargetState } from './rules.ts'
import {
  type CertificateNews,
  combine,
  isSuppressed,
  type Locations,
  locationsOf,
} from './verdict.ts'

export interface VerdictTarget extends Locations {
  organizationId: string
  componentId: string
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
const verdicts = tenantTable(targetVerdicts)

export const lockVerdict = async (
  scope: Scope,
  componentId: string,
): Promise<VerdictRow | undefined> => (await lockVerdicts(scope, [componentId])).get(componentId)

/** Locks verdicts in order of their components. */
export const lockVerdicts = async (
  scope: Scope,
  componentIds: readonly string[],
): Promise<Map<string, VerdictRow>> => {
  const rows = await verdicts
    .select(scope, inArray(targetVerdicts.componentId, [...componentIds]))
    .orderBy(targetVerdicts.componentId)
    .for('update')
  return new Map(rows.map((row) => [row.componentId, row]))
}

/** States of one location by component; the verdicts are locked. */
export const lockStates = async (
  scope: Scope,
  location: string,
  componentIds: readonly string[],
): Promise<Map<string, StateRow>> => {
  const isOfTarget = inArray(targetStates.componentId, [...componentIds])
  const rows = await states
    .select(scope, isOfTarget, eq(targetStates.location, location))
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
  scope: Scope,
  settlings: readonly Settling[],
): Promise<EventDraft[]> => {
  const open = settlings.filter(
    ({ verdict, result }) => !isSuppressed(verdict, momentOf(scope, result)),
  )
  if (open.length === 0) return []
  const ids = open.map(({ target }) => target.componentId)
  const states = Map.groupBy(await listStates(scope, ids), ({ componentId }) => componentId)
  const moves: VerdictMove[] = []
  const events: EventDraft[] = []
  const activeLocationsOf = createActiveLocations(scope)
  for (const settling of open) {
    const { target, verdict, since, result, location = null } = settling
    const { componentId } = target
    const active = locationsOf(target).length === 1 ? null : await activeLocationsOf(target)
    const derivedStatus = combined(target, states.get(componentId) ?? [], { active, location })
    if (derivedStatus === null || derivedStatus === verdict.derivedStatus) continue
    const at = momentOf(scope, result)
    const changedAt = appendChangeTime(verdict.changedAt, at)
    const version = verdict.version + 1
    moves.push({ componentId, derivedStatus, changedAt, version })
    const change = { derivedStatus, since, version, isFlapping: isFlapping(changedAt, at) }
    events.push(factOf(target, change, result))
  }
  await saveVerdicts(scope, moves)
  return events
}

const momentOf = (scope: Scope, result: ProbeResult | null): Date =>
  result === null ? scope.now : new Date(result.checkedAtMs)

/** Queries active locations once per check interval. */
const createActiveLocations = (scope: Scope) => {
  const locationsByInterval = new Map<number | null, ReturnType<typeof listActiveLocations>>()
  return (target: VerdictTarget) => {
    const locations =
      locationsByInterval.get(target.intervalSeconds) ?? listActiveLocations(scope, target)
    locationsByInterval.set(target.intervalSeconds, locations)
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

interface VerdictMove {
  componentId: string
  derivedStatus: VerdictRow['derivedStatus']
  changedAt: Date[]
  version: number
}

const saveVerdicts = async ({ tx, organizationId }: Scope, moves: readonly VerdictMove[]) => {
  if (moves.length === 0) return
  const changes = moves.map(({ changedAt }) => `{${changedAt.map((at) => at.toISOString())}}`)
  await tx.execute(sql`
    UPDATE target_verdicts v SET derived_status = m.derived_status,
      changed_at = m.changed_at::timestamptz[], version = m.version
    FROM unnest(${listOf(moves, (move) => move.componentId)}::uuid[],
      ${listOf(moves, (move) => move.derivedStatus)}::text[], ${sql.param(changes)}::text[],
      ${listOf(moves, (move) => move.version)}::int[])
      AS m(component_id, derived_status, changed_at, version)
    WHERE v.organization_id = ${organizationId} AND v.component_id = m.component_id`)
}

export interface StateMove {
  componentId: string
  state: TargetState
}

/** Saves changed states, which are locked. */
export const saveStates = async (
  { tx, organizationId }: Scope,
  location: string,
  moves: readonly StateMove[],
): Promise<void> => {
  if (moves.length === 0) return
  await tx.execute(sql`
    UPDATE target_states s SET derived_status = m.derived_status, runs = m.runs::jsonb,
      revision = s.revision + 1, updated_at = now()
    FROM unnest(${listOf(moves, (move) => move.componentId)}::uuid[],
      ${listOf(moves, ({ state }) => state.derivedStatus)}::text[],
      ${listOf(moves, ({ state }) => JSON.stringify(state.runs))}::text[])
      AS m(component_id, derived_status, runs)
    WHERE s.organization_id = ${organizationId} AND s.component_id = m.component_id
      AND s.location = ${location}`)
}

/** Change of a target's certificate; `version` is that of the verdict with the warning. */
export interface CertificateMove extends CertificateNews {
  componentId: string
  version: number
}

/** Stores seen certificates and sent warnings. States and verdicts are locked. */
export const saveCertificates = async (
  { tx, organizationId }: Scope,
  location: string,
  moves: readonly CertificateMove[],
): Promise<void> => {
  if (moves.length === 0) return
  const ids = listOf(moves, (move) => move.componentId)
  const expiries = listOf(moves, (move) => move.certificate.expiresAt?.toISOString() ?? null)
  await tx.execute(sql`
    UPDATE target_states s SET certificate_expires_at = m.expires_at::timestamptz
    FROM unnest(${ids}::uuid[], ${expiries}::text[]) AS m(component_id, expires_at)
    WHERE s.organization_id = ${organizationId} AND s.component_id = m.component_id
      AND s.location = ${location}`)
  const warnings = moves.filter(({ daysLeft }) => daysLeft !== null)
  if (warnings.length === 0) return
  await tx.execute(sql`
    UPDATE target_verdicts v SET warned_expires_at = m.expires_at::timestamptz,
      certificate_warned_days = m.days, version = m.version
    FROM unnest(${listOf(warnings, (move) => move.componentId)}::uuid[],
      ${listOf(warnings, (move) => move.certificate.warned?.expiresAt.toISOString() ?? null)}::text[],
      ${listOf(warnings, (move) => move.certificate.warned?.days ?? null)}::int[],
      ${listOf(warnings, (move) => move.version)}::int[])
      AS m(component_id, expires_at, days, version)
    WHERE v.organization_id = ${organizationId} AND v.component_id = m.component_id`)
}

const listOf = <Row>(rows: readonly Row[], read: (row: Row) => string | number | null) =>
  sql.param(rows.map(read))

export const listStates = (scope: Scope, componentIds: readonly string[]) =>
  states.select(scope, inArray(targetStates.componentId, [...componentIds]))

export const listTargetVerdicts = (scope: Scope, componentIds: readonly string[]) =>
  verdicts.select(scope, inArray(targetVerdicts.componentId, [...componentIds]))

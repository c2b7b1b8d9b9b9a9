/**
 * Records results that change a state: inserts the checks, updates the states and returns events
 * where the combined verdict changes. A thousand results take as many statements as one, so that a
 * large outage does not delay later results. A worker records those of several organizations.
 */

import {
  certificateExpiring,
  draftEvent,
  type EventDraft,
  type ProbeResult,
  systemActor,
} from '@status-page/contracts'
import type { OrganizationOutcome } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import type { RecordingScope, TargetKey } from '../../target-key.ts'
import { listByKeys } from '../../targets/store.ts'
import { countSuppressed, deriveStatus, type TargetState } from '../../verdicts/rules.ts'
import {
  type CertificateMove,
  lockStates,
  lockVerdicts,
  type Settling,
  type StateMove,
  type StateRow,
  saveCertificates,
  saveStates,
  settleVerdicts,
  type VerdictRow,
  type VerdictTarget,
} from '../../verdicts/store.ts'
import {
  type Certificate,
  evaluateCertificate,
  isSuppressed,
  warnedOf,
} from '../../verdicts/verdict.ts'
import { type CheckRow, insertChecks } from './rows.ts'

/** Lease of the result; a result from an expired lease changes no state. */
export interface LeaseMark {
  shard: number
  epoch: number
}

export interface Recorded {
  target: TargetKey & Pick<VerdictTarget, 'timeoutMs'>
  result: ProbeResult
  row: CheckRow
  /** Null for a manual check, which any replica may run. */
  lease: LeaseMark | null
}

export interface StoredState {
  state: TargetState
  revision: number
  certificate: Certificate
}

export interface RecordedChecks {
  /** State by component; null when the last result was not allowed to change it. */
  stored: Map<string, StoredState | null>
  events: EventDraft[]
}

/** Stores checks of one location and their consequences; results of one target keep their order. */
export const recordChecks = async (
  scope: RecordingScope,
  location: string,
  checks: readonly Recorded[],
): Promise<RecordedChecks> => {
  const recorded: RecordedChecks = { stored: new Map(), events: [] }
  for (const round of roundsOf(checks)) await recordRound(scope, location, round, recorded)
  return recorded
}

/** Events of the targets by organization, for the transaction of a worker. */
export const organizationOutcomes = (
  events: readonly EventDraft[],
  targets: readonly TargetKey[],
): OrganizationOutcome[] => {
  const owners = new Map(targets.map((one) => [one.componentId, one.organizationId]))
  const ownerOf = ({ aggregate }: EventDraft) => owners.get(aggregate.id) ?? ''
  return [...Map.groupBy(events, ownerOf)].map(([organizationId, own]) => ({
    organizationId,
    actor: systemActor,
    events: own,
    audit: [],
  }))
}

/**
 * Splits checks into rounds with each target at most once, because every result is evaluated
 * against the state that the previous one left.
 */
const roundsOf = (checks: readonly Recorded[]): Recorded[][] => {
  const rounds: Recorded[][] = []
  for (const some of Map.groupBy(checks, ({ target }) => target.componentId).values()) {
    for (const [turn, check] of some.entries()) {
      rounds[turn] ??= []
      rounds[turn].push(check)
    }
  }
  return rounds
}

const recordRound = async (
  scope: RecordingScope,
  location: string,
  round: readonly Recorded[],
  recorded: RecordedChecks,
): Promise<void> => {
  const evaluated: CheckedResult[] = []
  const read = await readRound(scope, location, round)
  for (const check of round) {
    const { componentId } = check.target
    const known = knownOf(read, check)
    recorded.stored.set(componentId, null)
    if (known === null) continue
    const one = evaluateResult(check, known)
    recorded.stored.set(componentId, one.stored)
    evaluated.push(one)
  }
  const moves = evaluated.flatMap(({ move }) => move ?? [])
  const certificates = evaluated.flatMap(({ certificate }) => certificate ?? [])
  const settlings = evaluated.flatMap(({ settling }) => settling ?? [])
  await saveStates(scope, location, moves)
  await saveCertificates(scope, location, certificates)
  recorded.events.push(
    ...certificates.flatMap(warningOf),
    ...(await settleVerdicts(scope, settlings)),
  )
}

/** Lock order of every transaction: verdicts, states of a location, checks. */
const readRound = async (scope: RecordingScope, location: string, round: readonly Recorded[]) => {
  const keys = round.map(({ target }) => target)
  const verdicts = await lockVerdicts(scope, keys)
  const states = await lockStates(scope, location, keys)
  const inserted = await insertChecks(
    scope,
    round.map(({ row }) => row),
  )
  const leases = await listLeases(scope, location, round)
  // Current definitions: a target may have been disabled or moved to other locations during its
  // check.
  const targets = new Map(
    (await listByKeys(scope, keys))
      .filter(({ isEnabled }) => isEnabled)
      .map((target) => [target.componentId, target]),
  )
  return { verdicts, states, inserted, leases, targets }
}

type Round = Awaited<ReturnType<typeof readRound>>

interface Known {
  verdict: VerdictRow
  locked: StateRow
  target: VerdictTarget
}

/** Null when the result must not change the state. */
const knownOf = (round: Round, { target: checked, lease }: Recorded): Known | null => {
  const { componentId, timeoutMs } = checked
  const verdict = round.verdicts.get(componentId)
  const locked = round.states.get(componentId)
  const now = round.targets.get(componentId)
  const isOurs = lease === null || round.leases.get(lease.shard) === lease.epoch
  if (!isOurs || !round.inserted.has(componentId)) return null
  if (verdict === undefined || locked === undefined || now === undefined) return null
  return { verdict, locked, target: { ...now, timeoutMs } }
}

interface CheckedResult {
  stored: StoredState
  move: StateMove | null
  /** Set when the status of this location changed. */
  settling: Settling | null
  certificate: SeenCertificate | null
}

type SeenCertificate = CertificateMove & { name: string }

const evaluateResult = (
  { result, row }: Recorded,
  { verdict, locked, target }: Known,
): CheckedResult => {
  const { derivedStatus, runs, revision } = locked
  const before = { derivedStatus, runs }
  // Targets in memory have no maintenances; deciding results are suppressed here.
  const evaluate = isSuppressed(verdict, new Date(result.checkedAtMs))
    ? countSuppressed
    : deriveStatus
  const { state, changedSince } = evaluate(before, result, target)
  const { organizationId, componentId, name } = target
  const key = { organizationId, componentId }
  const move = sameState(state, before) ? null : { ...key, state }
  const known = {
    expiresAt: locked.certificateExpiresAt,
    warned: warnedOf(verdict.warnedExpiresAt, verdict.certificateWarnedDays),
  }
  const change = evaluateCertificate(known, result)
  const version = verdict.version + (change === null || change.daysLeft === null ? 0 : 1)
  const moved = { ...verdict, version }
  const { location } = row
  return {
    stored: {
      state,
      revision: move === null ? revision : revision + 1,
      certificate: change?.certificate ?? known,
    },
    move,
    settling:
      changedSince === null
        ? null
        : { target, verdict: moved, since: changedSince, result, location },
    certificate: change && { ...change, ...key, name, version, names: result.certificateNames },
  }
}

const warningOf = ({
  componentId,
  name,
  version,
  certificate: { warned },
  daysLeft,
}: SeenCertificate): EventDraft[] => {
  if (daysLeft === null || warned === null) return []
  const certificate = { componentId, name, expiresAt: warned.expiresAt.toISOString(), daysLeft }
  return [draftEvent(certificateExpiring, { id: componentId, version }, { certificate })]
}

const sameState = (left: TargetState, right: TargetState): boolean =>
  left === right ||
  (left.derivedStatus === right.derivedStatus &&
    JSON.stringify(left.runs) === JSON.stringify(right.runs))

/** Current lease epochs by shard. */
const listLeases = async (
  { tx }: RecordingScope,
  location: string,
  round: readonly Recorded[],
): Promise<Map<number, number>> => {
  const shards = [...new Set(round.flatMap(({ lease }) => lease?.shard ?? []))]
  if (shards.length === 0) return new Map()
  const rows = await tx.execute<{ shard: number; epoch: number }>(sql`
    SELECT shard, epoch::float8 AS epoch FROM shard_lease
    WHERE location = ${location} AND shard = ANY (${sql.param(shards)}::int[])`)
  return new Map(rows.map(({ shard, epoch }) => [shard, epoch]))
}

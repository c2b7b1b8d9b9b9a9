/**
 * Stores results of agents. A result is stored once per slot; one that is older than a stored
 * result of its target changes no state, because states evaluate results in their order.
 */
import {
  type AgentResult,
  type EventDraft,
  invalid,
  MAX_RESULT_AGE_HOURS,
  notFound,
  ruleIssue,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { slotAt } from '@status-page/schedule'
import { sql } from 'drizzle-orm'
import { type Recorded, recordChecks } from '../checks/record/record.ts'
import { checkRowOf, insertChecks } from '../checks/record/rows.ts'
import { isCheckedAt, listKnown } from '../targets/location-targets.ts'
import type { TargetRow } from '../targets/store.ts'
import { lockVerdicts } from '../verdicts/store.ts'

const HOUR_MS = 3_600_000
/** Tolerated difference between the clocks of an agent and the service. */
const MAX_AHEAD_MS = 60_000

/** Result that is stored, or was before. */
export interface AcceptedResult {
  target: { organizationId: string; componentId: string }
  checkedAtMs: number
}

interface ReceivedResult {
  target: TargetRow
  slotMs: number
  result: AgentResult['result']
}

export const storeAgentResults = async (
  scope: Scope,
  location: string,
  results: readonly AgentResult[],
): Promise<{ accepted: AcceptedResult[]; events: EventDraft[] }> => {
  const ids = [...new Set(results.map(({ componentId }) => componentId))].toSorted()
  const targets = new Map((await listKnown(scope, ids)).map((one) => [one.componentId, one]))
  if (targets.size < ids.length) throw notFound()
  const received = results
    .map((one, index) => receivedOf(one, targets.get(one.componentId), scope.now, index))
    .filter((one) => one !== null)
    .filter((one) => isWanted(one, location, scope.now))
    .toSorted((left, right) => left.slotMs - right.slotMs)
  // First, like every transaction that stores checks.
  await lockVerdicts(scope, [...targets.values()])
  const lastSlots = await findLastStored(scope, location, ids)
  const [late, current] = split(received, ({ target, slotMs }) => {
    const last = lastSlots.get(target.componentId)
    return last !== undefined && slotMs <= last
  })
  const { events } = await recordChecks(
    scope,
    location,
    current.map((one) => recordedOf(one, location)),
  )
  if (late.length > 0) {
    await insertChecks(
      scope,
      late.map((one) => recordedOf(one, location).row),
    )
  }
  return { accepted: received.map(acceptedOf), events }
}

const receivedOf = (
  { slotAt: slot, result }: AgentResult,
  target: TargetRow | undefined,
  now: Date,
  index: number,
): ReceivedResult | null => {
  if (target === undefined) return null
  const slotMs = Date.parse(slot)
  const latestMs = now.getTime() + MAX_AHEAD_MS
  if (slotMs > latestMs) throw inFuture(`results[${index}].slotAt`)
  if (result.checkedAtMs > latestMs) throw inFuture(`results[${index}].result.checkedAtMs`)
  return { target, slotMs, result }
}

const inFuture = (field: string) => invalid(ruleIssue(field, 'notFuture'))

/**
 * Whether the result is of a slot of the target as the location checks it now: the target may have
 * been changed while the agent had no connection.
 */
const isWanted = (
  { target, slotMs, result }: ReceivedResult,
  location: string,
  now: Date,
): boolean => {
  const { componentId, intervalSeconds } = target
  if (intervalSeconds === null || !isCheckedAt(target, location)) return false
  const earliestMs = now.getTime() - MAX_RESULT_AGE_HOURS * HOUR_MS
  if (slotMs < earliestMs || result.checkedAtMs < earliestMs) return false
  return slotAt(componentId, intervalSeconds * 1000, slotMs) === slotMs
}

const recordedOf = ({ target, slotMs, result }: ReceivedResult, location: string): Recorded => {
  const row = checkRowOf(target, result, { slotMs, location, trigger: 'schedule' })
  return { target, result, row, lease: null }
}

const acceptedOf = ({ target, result }: ReceivedResult): AcceptedResult => {
  const { organizationId, componentId } = target
  return { target: { organizationId, componentId }, checkedAtMs: result.checkedAtMs }
}

const split = <Item>(
  items: readonly Item[],
  isFirst: (item: Item) => boolean,
): [Item[], Item[]] => [items.filter(isFirst), items.filter((item) => !isFirst(item))]

/** Newest stored slot of each component at the location, within the age of accepted results. */
const findLastStored = async (
  { tx, organizationId }: Scope,
  location: string,
  componentIds: readonly string[],
): Promise<Map<string, number>> => {
  const rows = await tx.execute<{ component_id: string; slot_ms: number }>(sql`
    SELECT w.component_id, extract(epoch FROM last.slot_at)::float8 * 1000 AS slot_ms
    FROM unnest(${sql.param([...componentIds])}::uuid[]) AS w(component_id)
    CROSS JOIN LATERAL (
      SELECT c.slot_at FROM checks c
      WHERE c.organization_id = ${organizationId} AND c.component_id = w.component_id
        AND c.slot_at > now() - ${MAX_RESULT_AGE_HOURS} * interval '1 hour'
        AND c.location = ${location} AND NOT c.is_manual
      ORDER BY c.slot_at DESC LIMIT 1) last`)
  return new Map(rows.map(({ component_id, slot_ms }) => [component_id, Math.round(slot_ms)]))
}

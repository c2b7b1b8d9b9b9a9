/**
 * State changes of a service level: created, changed, evaluated, breached. Pure; the time is an
 * argument.
 */
import {
  auditChanges,
  conflict,
  draftEvent,
  type Event,
  type EventDraft,
  type EventSpec,
  MAX_SLAS,
  NewSla,
  Sla,
  type SlaEvaluation,
  type SlaPatch,
  type SlaStatus,
  slaAtRisk,
  slaBreached,
  slaRecovered,
  viewOf,
} from '@status-page/contracts'
import { validateComponentIds } from '../components/component-ids.ts'
import type { TimeSpan } from '../components/uptime/uptime.ts'
import { fieldDefaults, fillFields, haveEqualFields, pickFields } from '../fields.ts'
import type { SlaRow } from '../tables.ts'
import type { SlaTotals } from './measurement.ts'

const fields = [
  'name',
  'description',
  'componentIds',
  'targetPercentage',
  'windowType',
  'windowDays',
  'timezone',
  'aggregation',
  'downtimeStatuses',
  'partialWeight',
  'excludeMaintenance',
  'minOutageSeconds',
  'atRiskThreshold',
  'isEnabled',
  'responseTargetMinutes',
  'resolutionTargetMinutes',
] as const

type Definition = Pick<SlaRow, (typeof fields)[number]>

/** New service level, before its first evaluation. */
export const createSla = (
  input: { id: string; organizationId: string; body: NewSla; managedByConfig: boolean },
  known: ReadonlySet<string>,
  now: Date,
): SlaRow => {
  const { id, organizationId, body, managedByConfig } = input
  const definition = define(body, {}, known)
  return {
    id,
    organizationId,
    version: 1,
    ...definition,
    managedByConfig,
    status: 'no_data',
    current: withoutValues('no_data', now),
    dueAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

export const SLA_LIMIT = `An organization can have at most ${MAX_SLAS} SLAs`

export const validateSlaCount = (present: number): void => {
  if (present < MAX_SLAS) return
  throw conflict('invalid_state', SLA_LIMIT)
}

/** Returns the same row if the PATCH has no effect. */
export const changeSla = (
  row: SlaRow,
  patch: SlaPatch,
  known: ReadonlySet<string>,
  now: Date,
): SlaRow => {
  const after = { ...row, ...define(patch, row, known) }
  return haveEqualFields(fields, row, after)
    ? row
    : { ...after, version: row.version + 1, updatedAt: now }
}

const defaults = fieldDefaults(NewSla.properties)

const define = (
  given: NewSla | SlaPatch,
  stored: Partial<SlaRow>,
  known: ReadonlySet<string>,
): Definition => {
  const definition = fillFields<Definition>(fields, { given, stored, defaults })
  // Stored ids are accepted after their component was deleted.
  validateComponentIds(definition.componentIds, known.union(new Set(stored.componentIds)))
  return definition
}

const SECOND_MS = 1_000
const PER_CENT = 100

type Target = Pick<SlaRow, 'targetPercentage' | 'atRiskThreshold'>

/** Downtime that the target allows in a period, in milliseconds. */
export const downtimeBudgetMs = (timeMs: number, { targetPercentage }: Target): number =>
  Math.round((timeMs * (PER_CENT - targetPercentage)) / PER_CENT)

/** Parts in 100 %, as a bigint, since the product would exceed safe integers. */
const PARTS = 1_000_000n
const PARTS_PER_CENT = 10_000

/** Percentage with four decimals, rounded down; null without data. */
export const uptimePercentageOf = ({ countedMs, downtimeMs }: SlaTotals): number | null =>
  countedMs === 0
    ? null
    : Number((BigInt(countedMs - downtimeMs) * PARTS) / BigInt(countedMs)) / PARTS_PER_CENT

/**
 * Budget of the whole window except excluded time. Time before the first data and future time
 * count, so that a new service level is not breached by its first seconds of outage.
 */
export const windowDowntimeBudgetMs = (
  { excludedMs }: SlaTotals,
  target: Target,
  { from, to }: TimeSpan,
) => downtimeBudgetMs(to - from - excludedMs, target)

/** Start of the counted data; null without any. */
export const dataStartOf = (measurement: SlaTotals & { since: number | null }): string | null =>
  measurement.since === null || measurement.countedMs === 0
    ? null
    : new Date(measurement.since).toISOString()

/** State of a window: its percentage covers the data, its budget the whole window. */
export const evaluateWindow = (
  totals: SlaTotals & { since: number | null },
  sla: Target & { isEnabled: boolean },
  window: TimeSpan,
  now: Date,
): SlaEvaluation => {
  const { countedMs, downtimeMs, excludedMs } = totals
  if (!sla.isEnabled) return withoutValues('paused', now)
  if (countedMs === 0) return withoutValues('no_data', now)
  const budget = windowDowntimeBudgetMs(totals, sla, window)
  const elapsedMs = window.to - window.from - remainingMs(window, now) - excludedMs
  const remaining = budget - downtimeMs
  return {
    percentage: uptimePercentageOf(totals),
    since: dataStartOf(totals),
    budgetTotalSeconds: budget / SECOND_MS,
    budgetRemainingSeconds: remaining / SECOND_MS,
    burnRate: rounded((downtimeMs * PER_CENT) / (elapsedMs * (PER_CENT - sla.targetPercentage))),
    status: statusOf(downtimeMs, budget, sla),
    evaluatedAt: now.toISOString(),
  }
}

export const remainingMs = ({ from, to }: TimeSpan, now: Date): number =>
  Math.max(0, to - Math.max(from, now.getTime()))

/** A short window may allow less than a millisecond: without downtime its budget is fully left. */
const statusOf = (downtime: number, budget: number, { atRiskThreshold }: Target): SlaStatus => {
  if (downtime > budget) return 'breached'
  const left = downtime === 0 ? PER_CENT : ((budget - downtime) * PER_CENT) / budget
  return left <= atRiskThreshold ? 'at_risk' : 'healthy'
}

const withoutValues = (status: SlaStatus, now: Date): SlaEvaluation => ({
  since: null,
  percentage: null,
  budgetTotalSeconds: null,
  budgetRemainingSeconds: null,
  burnRate: null,
  status,
  evaluatedAt: now.toISOString(),
})

const rounded = (rate: number): number => Math.round(rate * 1_000) / 1_000

type StatusChangeEvent = Event<EventSpec & { data: typeof slaAtRisk.data }>

/**
 * Status changes that publish an event; changes from or to a paused level or one without data do
 * not.
 */
const statusChangeEvents: Partial<
  Record<SlaStatus, (before: SlaStatus) => StatusChangeEvent | null>
> = {
  breached: (before) => (before === 'breached' ? null : slaBreached),
  at_risk: (before) => {
    if (before === 'breached') return slaRecovered
    return before === 'at_risk' ? null : slaAtRisk
  },
  healthy: (before) => (before === 'at_risk' || before === 'breached' ? slaRecovered : null),
}

/** Row with its new evaluation, and an event when its status changed. */
export const applyEvaluation = (
  row: SlaRow,
  current: SlaEvaluation,
  dueAt: Date | null,
): { row: SlaRow; events: EventDraft[] } => {
  const { status } = current
  const event = statusChangeEvents[status]?.(row.status) ?? null
  const after = { ...row, status, current, dueAt: row.isEnabled ? dueAt : null }
  if (event === null) return { row: after, events: [] }
  const published = { ...after, version: row.version + 1 }
  return { row: published, events: [statusChangeEvent(event, published, row.status)] }
}

const statusChangeEvent = (
  kind: StatusChangeEvent,
  row: SlaRow,
  previousStatus: SlaStatus,
): EventDraft => {
  const { id, name, targetPercentage, componentIds, current } = row
  return draftEvent(kind, row, {
    sla: { id, name, targetPercentage, componentIds, previousStatus, current },
  })
}

export const presentSla = (row: SlaRow, current: SlaEvaluation): Sla =>
  viewOf(Sla, { ...row, current })

export const slaFields = (row: SlaRow): Definition => pickFields(fields, row)

export const auditSla = auditChanges('sla', slaFields)

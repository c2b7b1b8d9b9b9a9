/** Effects of a change of the first maintenance on the other occurrences of its series. Pure. */
import type { MaintenanceRow } from '../tables.ts'
import {
  occurrenceAfter,
  occurrencesUntil,
  occurrenceWindowAt,
  type RecurrenceSeries,
} from './recurrence.ts'
import {
  type MaintenanceEdit,
  type MaintenanceInput,
  type MaintenancePlan,
  planOptions,
} from './state.ts'

/** Columns of an occurrence that these rules need. */
export type Occurrence = Pick<
  MaintenanceRow,
  'id' | 'status' | 'occurrenceAt' | 'scheduledFor' | 'scheduledUntil'
>

/** Edit of a scheduled occurrence; null cancels it, because the series no longer contains it. */
export type OccurrenceEdit = Omit<MaintenanceEdit, 'updateId'> | null

export const seriesOf = (first: MaintenanceRow): RecurrenceSeries | null => {
  const { recurrence, scheduledFor, scheduledUntil } = first
  return recurrence === null ? null : { recurrence, scheduledFor, scheduledUntil }
}

/**
 * New times of the occurrences, by id; occurrences that the series no longer contains are missing.
 */
export const occurrenceTimesAfter = (
  change: { before: MaintenanceRow; after: MaintenanceRow },
  occurrences: readonly Occurrence[],
): Map<string, Date> => {
  const [before, after] = [seriesOf(change.before), seriesOf(change.after)]
  if (before === null || after === null) return new Map()
  const isSameRule = isSame(before.recurrence, after.recurrence)
  const isMoved = !isSame(before.scheduledFor, after.scheduledFor)
  const shift = isMoved ? shiftByIndex(before, after, occurrences) : (at: Date) => at
  const timeAfter = isSameRule ? shift : keepIfContained(after)
  return new Map(
    occurrences.flatMap(({ id, occurrenceAt }): [string, Date][] => {
      const time = occurrenceAt === null ? null : timeAfter(occurrenceAt)
      return time === null ? [] : [[id, time]]
    }),
  )
}

/** Maps occurrences by their index: the second one stays the second one. */
const shiftByIndex = (
  before: RecurrenceSeries,
  after: RecurrenceSeries,
  occurrences: readonly Occurrence[],
) => {
  const last = Math.max(...occurrences.map(({ occurrenceAt }) => occurrenceAt?.getTime() ?? 0))
  const times = new Map<number, Date>()
  let next = occurrenceAfter(after, after.scheduledFor)
  for (const time of occurrencesUntil(before, new Date(last))) {
    if (next === null) break
    times.set(time.getTime(), next)
    next = occurrenceAfter(after, next)
  }
  return (at: Date): Date | null => times.get(at.getTime()) ?? null
}

const keepIfContained = (series: RecurrenceSeries) => (at: Date) => {
  const next = occurrenceAfter(series, new Date(at.getTime() - 1))
  return next?.getTime() === at.getTime() ? at : null
}

/**
 * Edit that an occurrence takes over from the first maintenance; its window follows from its own
 * time.
 */
export const occurrenceEdit = (
  change: { before: MaintenanceRow; after: MaintenanceRow; edit: MaintenanceEdit },
  occurrence: Occurrence,
  time: Date | undefined,
): OccurrenceEdit => {
  const { before, after, edit } = change
  const series = seriesOf(after)
  if (series === null || time === undefined) return null
  const { scheduledFor: _f, scheduledUntil: _u, recurrence: _r, ...plan } = edit.plan
  const changed = Object.entries(plan).filter(
    ([field]) =>
      !isSame(before[field as keyof MaintenancePlan], after[field as keyof MaintenancePlan]),
  )
  const isTimeUnchanged = time.getTime() === occurrence.occurrenceAt?.getTime()
  const isResized =
    !isSame(before.scheduledFor, after.scheduledFor) ||
    !isSame(before.scheduledUntil, after.scheduledUntil)
  const window = isResized
    ? occurrenceWindowAt(series, isTimeUnchanged ? occurrence.scheduledFor : time)
    : {}
  return {
    plan: { ...Object.fromEntries(changed), ...window },
    componentIds: edit.componentIds,
    occurrenceAt: time,
    isAlwaysStored: false,
  }
}

/** Input of the next occurrence as a maintenance of its own. */
export const occurrenceInput = (
  first: MaintenanceRow,
  series: RecurrenceSeries,
  ids: { id: string; updateId: string },
  at: Date,
): MaintenanceInput => ({
  ...ids,
  organizationId: first.organizationId,
  title: first.title,
  ...planOptions(first),
  message: first.planMessage,
  ...occurrenceWindowAt(series, at),
  recurrence: null,
  recurrenceOf: first.id,
  occurrenceAt: at,
})

const isSame = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) === JSON.stringify(right)

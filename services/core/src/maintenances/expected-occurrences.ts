/** Occurrences of recurring maintenances that are not yet maintenances themselves. */
import {
  type ExpectedOccurrence,
  invalid,
  limitAndOffset,
  listReply,
  MAX_OCCURRENCE_DAYS,
  MAX_PREVIEWED_OCCURRENCES,
  type maintenanceOperations,
  type Query,
  type RecurrencePreview,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { MaintenanceRow } from '../tables.ts'
import { checkTimeRange } from '../time-range.ts'
import {
  occurrenceAfter,
  occurrencesBetween,
  occurrenceWindowAt,
  type RecurrenceSeries,
  skippedTimes,
} from './recurrence.ts'
import { seriesOf } from './series.ts'
import { listSeries } from './store.ts'

const DAY_MS = 86_400_000
const DEFAULT_RANGE_DAYS = 31

/** Windows of a series that have not ended, the first maintenance included. */
export const previewRecurrence = (series: RecurrenceSeries, now: Date): RecurrencePreview => {
  const { scheduledFor, scheduledUntil } = series
  const starts: Date[] = []
  let next = scheduledUntil > now ? scheduledFor : occurrenceAfter(series, now)
  while (next !== null && starts.length < MAX_PREVIEWED_OCCURRENCES) {
    starts.push(next)
    next = occurrenceAfter(series, next)
  }
  const [from, to] = [starts[0], starts.at(-1)]
  const windowAt = (start: Date) =>
    start === scheduledFor ? series : occurrenceWindowAt(series, start)
  return {
    occurrences: starts.map((start) => toReply(windowAt(start))),
    skippedTimes: from && to ? skippedTimes(series, { from, to }) : [],
  }
}

type ListQuery = Query<typeof maintenanceOperations.listOccurrences>

export const listExpectedOccurrences = async (scope: Scope, query: ListQuery) => {
  const range = requestedRange(query, scope.now)
  const rows = await listSeries(scope, range.to)
  const found = rows.flatMap((row) => expectedOccurrences(row, range))
  const order = query.sortOrder === 'desc' ? -1 : 1
  found.sort((first, other) => order * first.scheduledFor.localeCompare(other.scheduledFor))
  const { limit, offset } = limitAndOffset(query)
  return listReply(query, found.length, found.slice(offset, offset + limit))
}

const expectedOccurrences = (
  row: MaintenanceRow,
  { from, to }: { from: Date; to: Date },
): ExpectedOccurrence[] => {
  const series = seriesOf(row)
  const next = row.nextOccurrenceAt
  if (series === null || next === null) return []
  return occurrencesBetween(series, { from: next > from ? next : from, to }).map((start) => ({
    recurrenceOf: row.id,
    title: row.title,
    ...toReply(occurrenceWindowAt(series, start)),
  }))
}

const toReply = ({
  scheduledFor,
  scheduledUntil,
}: Pick<RecurrenceSeries, 'scheduledFor' | 'scheduledUntil'>) => ({
  scheduledFor: scheduledFor.toISOString(),
  scheduledUntil: scheduledUntil.toISOString(),
})

const requestedRange = (query: { from?: string; to?: string }, now: Date) => {
  checkTimeRange(query)
  const from = query.from === undefined ? now : new Date(query.from)
  const to =
    query.to === undefined
      ? new Date(from.getTime() + DEFAULT_RANGE_DAYS * DAY_MS)
      : new Date(query.to)
  if (to.getTime() - from.getTime() > MAX_OCCURRENCE_DAYS * DAY_MS) {
    const message = `to must be at most ${MAX_OCCURRENCE_DAYS} days after from`
    throw invalid({ field: 'to', message })
  }
  return { from, to }
}

/** Times of the next transition and of the next occurrence of a maintenance. Pure. */
import type { MaintenanceRow } from '../tables.ts'
import { occurrenceAfter } from './recurrence.ts'

const MINUTE_MS = 60_000
/** Time before its start at which an occurrence is created as a maintenance. */
const OCCURRENCE_LEAD_MS = 7 * 86_400_000

/** True when the series has an occurrence to create. */
export const isOccurrenceDue = (row: MaintenanceRow, now: Date): boolean =>
  createOccurrenceAt(row) <= now.getTime()

/** Row with the time of its next transition. */
export const withDueTime = (row: MaintenanceRow): MaintenanceRow => {
  const dueAt = Math.min(startAt(row), completeAt(row), remindAt(row), createOccurrenceAt(row))
  return { ...row, dueAt: Number.isFinite(dueAt) ? new Date(dueAt) : null }
}

const NEVER = Number.POSITIVE_INFINITY

export const startAt = ({ status, autoStart, scheduledFor }: MaintenanceRow): number =>
  status === 'scheduled' && autoStart ? scheduledFor.getTime() : NEVER

export const completeAt = ({ status, autoComplete, scheduledUntil }: MaintenanceRow): number =>
  status === 'in_progress' && autoComplete ? scheduledUntil.getTime() : NEVER

export const remindAt = (row: MaintenanceRow): number => {
  if (row.status !== 'scheduled') return NEVER
  const times = row.remindBeforeMinutes.map(
    (minutes) => row.scheduledFor.getTime() - minutes * MINUTE_MS,
  )
  return Math.min(NEVER, ...times.filter((time) => time > row.remindedAt.getTime()))
}

const createOccurrenceAt = ({ nextOccurrenceAt }: MaintenanceRow): number =>
  nextOccurrenceAt === null ? NEVER : nextOccurrenceAt.getTime() - OCCURRENCE_LEAD_MS

/** Sets the next occurrence after now; occurrences in the past are not created later. */
export const withNextOccurrence = (row: MaintenanceRow, now: Date): MaintenanceRow => {
  const { recurrence, scheduledFor, scheduledUntil } = row
  if (recurrence === null) return { ...row, nextOccurrenceAt: null }
  const series = { recurrence, scheduledFor, scheduledUntil }
  return { ...row, nextOccurrenceAt: occurrenceAfter(series, now) }
}

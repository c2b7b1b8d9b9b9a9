/** Values of the form of a maintenance, and the requests that they become. */
import {
  CalendarDateTime,
  fromAbsolute,
  getLocalTimeZone,
  now,
  toZoned,
} from '@internationalized/date'
import type { FieldErrors } from '../api/field-errors.ts'
import type { MaintenanceData, RecurrenceData } from './queries.ts'
import { type MonthDate, weekdays } from './rule.ts'

export interface MaintenanceValues {
  title: string
  message: string
  scheduledFor: string
  scheduledUntil: string
  componentIds: string[]
  autoStart: boolean
  autoComplete: boolean
  setUnderMaintenance: boolean
  restoreOnComplete: boolean
  notifySubscribers: boolean
  remindBeforeMinutes: number[]
  recurrence: RecurrenceData | null
}

export type MaintenanceField = keyof MaintenanceValues

export const maintenanceFields = [
  'title',
  'message',
  'scheduledFor',
  'scheduledUntil',
  'componentIds',
  'autoStart',
  'autoComplete',
  'setUnderMaintenance',
  'restoreOnComplete',
  'notifySubscribers',
  'remindBeforeMinutes',
  'recurrence',
] as const satisfies MaintenanceField[]

export const valuesOf = (maintenance: MaintenanceData): MaintenanceValues => {
  const { components, recurrence } = maintenance
  return {
    title: maintenance.title,
    message: maintenance.message,
    scheduledFor: maintenance.scheduledFor,
    scheduledUntil: maintenance.scheduledUntil,
    componentIds: components.map(({ id }) => id),
    autoStart: maintenance.autoStart,
    autoComplete: maintenance.autoComplete,
    setUnderMaintenance: maintenance.setUnderMaintenance,
    restoreOnComplete: maintenance.restoreOnComplete,
    notifySubscribers: maintenance.notifySubscribers,
    remindBeforeMinutes: maintenance.remindBeforeMinutes,
    recurrence,
  }
}

const DEFAULT_HOUR = 22
const MS_PER_HOUR = 3_600_000

/** Defaults of the service; one hour tomorrow at 22:00. */
export const newValues = (timeZone: string): MaintenanceValues => {
  const { year, month, day } = now(timeZone).add({ days: 1 })
  const start = toZoned(new CalendarDateTime(year, month, day, DEFAULT_HOUR), timeZone)
  const startMs = start.toDate().getTime()
  return {
    title: '',
    message: '',
    scheduledFor: new Date(startMs).toISOString(),
    scheduledUntil: new Date(startMs + MS_PER_HOUR).toISOString(),
    componentIds: [],
    autoStart: true,
    autoComplete: true,
    setUnderMaintenance: true,
    restoreOnComplete: true,
    notifySubscribers: true,
    remindBeforeMinutes: [60],
    recurrence: null,
  }
}

/** Values with another start; the length stays. */
export const withStart = (
  { scheduledFor, scheduledUntil }: MaintenanceValues,
  start: string,
): Pick<MaintenanceValues, 'scheduledFor' | 'scheduledUntil'> => {
  const length = Date.parse(scheduledUntil) - Date.parse(scheduledFor)
  const end = new Date(Date.parse(start) + length).toISOString()
  return { scheduledFor: start, scheduledUntil: end }
}

const WEEK_DAYS = 7

/** Date of a time in a time zone. */
export const monthDateOf = (iso: string, timeZone: string): MonthDate => {
  const date = fromAbsolute(Date.parse(iso), timeZone)
  // The first day of 1970, a Thursday, is the fourth day of the week.
  const days = Math.floor(Date.UTC(date.year, date.month - 1, date.day) / (24 * MS_PER_HOUR))
  const weekday = weekdays[(days + 3) % WEEK_DAYS] ?? 'MO'
  return { day: date.day, daysInMonth: date.calendar.getDaysInMonth(date), weekday }
}

export const browserTimeZone: string = getLocalTimeZone()

/** Fields that can change: a closed maintenance has only texts, a running one no other start. */
export const isEditable = (
  maintenance: MaintenanceData | null,
  field: MaintenanceField,
): boolean => {
  if (maintenance === null) return true
  const { status, recurrenceOf, recurrence } = maintenance
  if (field === 'title' || field === 'message') return true
  if (field === 'recurrence' && status === 'completed') return recurrence !== null
  if (status === 'completed' || status === 'cancelled') return false
  if (field === 'scheduledFor') return status === 'scheduled'
  return field !== 'recurrence' || recurrenceOf === null
}

const fieldOf = (name: string): string => name.split(/[.[]/, 1)[0] ?? name

/** First error of a field or of a part of it. */
export const errorAt = (errors: FieldErrors, field: MaintenanceField): string | undefined =>
  Object.entries(errors).find(([name]) => fieldOf(name) === field)?.[1]

/** Names in the errors whose field shows them. */
export const shownErrors = (errors: FieldErrors): string[] =>
  Object.keys(errors).filter((name) => maintenanceFields.some((field) => field === fieldOf(name)))

/** Values of the form of a maintenance, and the requests that they become. */
import {
  CalendarDateTime,
  fromAbsolute,
  getLocalTimeZone,
  now,
  toZoned,
} from '@internationalized/date'
import { maintenanceForms } from '../api/contract-maintenances.ts'
import type { FieldErrors } from '../api/field-errors.ts'
import type { Texts } from '../texts/en/index.ts'
import { identifierWords } from '../texts/identifier-words.ts'
import type { MaintenanceData, RecurrenceData } from './queries.ts'
import { type MonthDate, weekdays } from './rule.ts'

const options = maintenanceForms.options.fields
type OptionName = (typeof options)[number]['name']
type OptionValues = Pick<MaintenanceData, OptionName>

/** Options that are entered as a checkbox or as a choice of values. */
export const switches = options.filter(({ kind }) => kind === 'boolean' || kind === 'choice')

/** Label of an option; its identifier as words for an option without a text. */
export const optionLabel = (
  option: string,
  { flags }: Pick<Texts['maintenance']['form'], 'flags'>,
): string => {
  const labels: Partial<Record<string, string>> = flags
  return labels[option] ?? identifierWords(option)
}

export interface MaintenanceValues extends OptionValues {
  title: string
  scheduledFor: string
  scheduledUntil: string
  componentIds: string[]
  recurrence: RecurrenceData | null
}

export type MaintenanceField = keyof MaintenanceValues

export const maintenanceFields: readonly MaintenanceField[] = [
  'title',
  'scheduledFor',
  'scheduledUntil',
  'componentIds',
  'recurrence',
  ...options.map(({ name }) => name),
]

export const valuesOf = (maintenance: MaintenanceData): MaintenanceValues => ({
  title: maintenance.title,
  scheduledFor: maintenance.scheduledFor,
  scheduledUntil: maintenance.scheduledUntil,
  componentIds: maintenance.components.map(({ id }) => id),
  recurrence: maintenance.recurrence,
  ...optionValues(({ name }) => maintenance[name]),
})

const optionValues = (read: (option: (typeof options)[number]) => unknown): OptionValues =>
  Object.fromEntries(options.map((option) => [option.name, read(option)])) as OptionValues

const DEFAULT_HOUR = 22
const MS_PER_HOUR = 3_600_000

/** Defaults of the service; one hour tomorrow at 22:00. */
export const newValues = (timeZone: string): MaintenanceValues => {
  const { year, month, day } = now(timeZone).add({ days: 1 })
  const start = toZoned(new CalendarDateTime(year, month, day, DEFAULT_HOUR), timeZone)
  const startMs = start.toDate().getTime()
  return {
    ...optionValues((option) => option.default),
    title: '',
    scheduledFor: new Date(startMs).toISOString(),
    scheduledUntil: new Date(startMs + MS_PER_HOUR).toISOString(),
    componentIds: [],
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

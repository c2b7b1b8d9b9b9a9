/** Properties of the parts of the form of a schedule, and the errors of its fields by their paths. */
import type { FieldErrors } from '../api/field-errors.ts'
import type { LayerDraft, ScheduleDraft } from './schedule-draft.ts'

export interface ScheduleFieldsProps {
  draft: ScheduleDraft
  errors: FieldErrors
  onChange(patch: Partial<ScheduleDraft>): void
}

export interface LayerPartProps {
  layer: LayerDraft
  errors: FieldErrors
  onChange(layer: LayerDraft): void
}

/** Errors of the fields of an entry, by their names in it. */
export const errorsBelow = (errors: FieldErrors, prefix: string): Record<string, string> =>
  Object.fromEntries(
    Object.entries(errors).flatMap(([field, message]) =>
      field.startsWith(prefix) ? [[field.slice(prefix.length), message]] : [],
    ),
  )

const shownFields = [
  /^(name|description|timezone)$/,
  /^componentIds(\[\d+\])?$/,
  /^layers\[\d+\]\.(name|userIds(\[\d+\])?|rotationLength|rotationInterval)$/,
  /^layers\[\d+\]\.(handoffTime|startsAt|endsAt)$/,
  /^layers\[\d+\]\.restrictions\[\d+\]\.(startTime|durationSeconds|startDay)$/,
  /^escalation\[\d+\]\.(delayMinutes|targets(\[\d+\])?)$/,
]

/** Fields with errors that the form shows at the field. */
export const errorsShown = (errors: FieldErrors): string[] =>
  Object.keys(errors).filter((field) => shownFields.some((pattern) => pattern.test(field)))

/** Error of the field, or of one of its entries. */
export const errorBelow = (errors: FieldErrors, field: string): string | undefined =>
  Object.entries(errors).find(([name]) => name === field || name.startsWith(`${field}[`))?.[1]

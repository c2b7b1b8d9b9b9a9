/** Properties of all fields of the settings of a component, and the errors that they show. */
import type { FieldErrors } from '../api/field-errors.ts'
import { type ComponentDraft, type ComponentKind, type DraftField, fieldsOf } from './draft.ts'

export interface EditorProps {
  draft: ComponentDraft
  errors: FieldErrors
  isReadOnly: boolean
  onChange(draft: ComponentDraft): void
}

/** Name of the setting that an error of the service concerns, such as `conditions[0].target`. */
const settingOf = (field: string): string => field.split(/[.[]/, 1)[0] ?? field

/** Fields of a refused request whose errors the form shows. */
export const shownFields = (type: ComponentKind, errors: FieldErrors): string[] => {
  const known: readonly string[] = fieldsOf(type)
  return Object.keys(errors).filter((field) => known.includes(settingOf(field)))
}

/** First error of a setting or of a part of it. */
export const errorOf = (errors: FieldErrors, field: DraftField): string | undefined =>
  Object.entries(errors).find(([name]) => settingOf(name) === field)?.[1]

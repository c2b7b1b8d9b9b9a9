/** Properties of all fields of the settings of a component, and the fields that show errors. */
import { type FieldErrors, rootFieldOf } from '../api/field-errors.ts'
import { type ComponentDraft, type ComponentKind, fieldsOf } from './draft.ts'

export interface EditorProps {
  draft: ComponentDraft
  errors: FieldErrors
  isReadOnly: boolean
  onChange(draft: ComponentDraft): void
}

/** Fields of a refused request whose errors the form shows. */
export const shownFields = (type: ComponentKind, errors: FieldErrors): string[] => {
  const known: readonly string[] = fieldsOf(type)
  return Object.keys(errors).filter((field) => known.includes(rootFieldOf(field)))
}

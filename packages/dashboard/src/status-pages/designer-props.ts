/** Properties of all fields of the designer. */
import type { FieldErrors } from '../api/field-errors.ts'
import type { PageDraft } from './page-draft.ts'

export interface DesignerProps {
  values: PageDraft
  errors: FieldErrors
  set(patch: Partial<PageDraft>): void
}

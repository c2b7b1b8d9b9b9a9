/** Properties of the parts of the form. */
import type { FieldErrors } from '../api/field-errors.ts'
import type { MaintenanceValues } from './draft.ts'
import type { MaintenanceData } from './queries.ts'

export interface MaintenanceEditorProps {
  /** Null for a new maintenance. */
  maintenance: MaintenanceData | null
  values: MaintenanceValues
  errors: FieldErrors
  timeZone: string
  set(patch: Partial<MaintenanceValues>): void
  setTimeZone(timeZone: string): void
}

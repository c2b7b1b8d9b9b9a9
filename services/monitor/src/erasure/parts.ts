/** Tables that are deleted with an organization: all with `organization_id`. */
import { type ErasurePart, notifying } from '@status-page/postgres'
import { TARGET_CHANGED } from '../targets/store.ts'

/** Targets come first, so that no further check begins. */
export const erasureParts: readonly ErasurePart[] = [
  'target_verdicts',
  'target_states',
  notifying('targets', TARGET_CHANGED, 'component_id'),
  'checks',
  'check_hours',
  'check_rollups',
  'late_rollups',
  'maintenances',
]

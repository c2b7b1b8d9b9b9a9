/** Statuses of maintenances as those of the public page. */
import type { MaintenanceStatus } from '@status-page/contracts'
import type { State } from '../kit/icon.tsx'

export const maintenanceMarks: Record<MaintenanceStatus, State> = {
  scheduled: 'none',
  in_progress: 'work',
  verifying: 'work',
  completed: 'ok',
  cancelled: 'none',
}

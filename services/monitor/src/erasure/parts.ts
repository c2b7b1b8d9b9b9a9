/** Tables that are deleted with an organization: all with `organization_id`. */
import { type ErasurePart, notifyingStep } from '@status-page/postgres'
import { TARGET_CHANGED_CHANNEL } from '../targets/store.ts'

/** Agents and targets come first, so that no further check begins. */
export const erasureParts: readonly ErasurePart[] = [
  'agents',
  'private_locations',
  'heartbeat_pings',
  'heartbeats',
  'target_verdicts',
  'target_states',
  notifyingStep('targets', TARGET_CHANGED_CHANNEL, 'component_id'),
  'checks',
  'check_hours',
  'check_rollups',
  'late_rollups',
  'maintenances',
  'vendor_followers',
]

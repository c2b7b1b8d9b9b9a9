/** Tables that are deleted with an organization: all with `organization_id`. */
import { type ErasurePart, notifyingStep } from '@status-page/postgres'
import { METRIC_CHANGED_CHANNEL } from '../integrations/store.ts'

/** Metrics come first, so that no further query begins. */
export const erasureParts: readonly ErasurePart[] = [
  'metric_states',
  notifyingStep('metrics', METRIC_CHANGED_CHANNEL, 'id'),
  'metric_values',
  'metric_rollups',
  'alert_signals',
  'alert_groups',
  'alert_intakes',
  'integrations',
  'integration_batches',
  'components',
  'maintenances',
]

/** Inputs of all batches of a plan. */
import type { Sealer } from '@status-page/secrets'

export interface BatchContext {
  organizationId: string
  sealer: Sealer
  newId: () => string
}

/** Inputs of all batches of a plan. */
import type { Sealer } from '@status-page/secrets'

export interface BatchContext {
  organizationId: string
  sealer: Sealer
  newId: () => string
  /** Hashes of changed secrets by the id of their resource; a dry run has none. */
  secretHashes: ReadonlyMap<string, string>
}

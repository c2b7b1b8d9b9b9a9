/** What an apply has still to do, as the journal keeps it; secrets inside are sealed. */
import type { ComponentBatch } from '@status-page/contracts'

export interface Work {
  components: ComponentBatch
}

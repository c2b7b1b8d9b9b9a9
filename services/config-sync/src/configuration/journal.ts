/**
 * The states of an apply, and what each has still to do. Integrations are saved first and can be undone; the
 * batch of components is one transaction and the point of no return; what is to go, goes last.
 */
import type {
  Applied,
  ComponentBatch,
  ConfigSource,
  IntegrationBatch,
} from '@status-page/contracts'
import type { ApplyState } from '../tables.ts'

/** All that is needed to end an apply without whoever began it; secrets inside are sealed. */
export interface ApplyWork {
  batches: Batches
  /** The version that it makes; null where the document is the one that was applied last. */
  version: NewVersion | null
  applied: Applied
}

export interface Batches {
  integrations: IntegrationBatch | null
  /** The inverse of `integrations`. */
  undo: IntegrationBatch | null
  components: ComponentBatch | null
  removals: IntegrationBatch | null
}

export interface NewVersion {
  id: string
  name: string
  configVersion: string
  document: string
  source: ConfigSource
  commit: string | null
  rollbackOf: string | null
}

export type OpenState = Exclude<ApplyState, 'done' | 'undone' | 'abandoned'>

type Step = {
  [Name in keyof Batches]: { batch: Name; next: ApplyState; onRefusal: ApplyState | null }
}[keyof Batches]

/**
 * What is asked in a state, and where its answer leads. `refused` is where a refusal leads: before the point
 * of no return back to the beginning; null: the step counts as taken, there is nothing left to refuse.
 */
export const steps: Record<Exclude<OpenState, 'planning'>, Step> = {
  planned: { batch: 'integrations', next: 'integrations_saved', onRefusal: 'undone' },
  integrations_saved: { batch: 'components', next: 'components_changed', onRefusal: 'undoing' },
  components_changed: { batch: 'removals', next: 'done', onRefusal: null },
  undoing: { batch: 'undo', next: 'undone', onRefusal: null },
}

export const isOpen = (state: ApplyState): state is OpenState =>
  !['done', 'undone', 'abandoned'].includes(state)

/**
 * States of an apply and the remaining steps of each. Integrations are saved first and can be
 * undone; the component batch is one transaction and the point of no return; removals come last.
 */
import type {
  ComponentBatch,
  ConfigApplyResult,
  ConfigSource,
  IntegrationBatch,
} from '@status-page/contracts'

/** Data that another process needs to end an apply; secrets are encrypted. */
export interface ApplyWork {
  batches: ApplyBatches
  /** Version to create; null if the document equals the last applied one. */
  version: NewVersion | null
  applied: ConfigApplyResult
}

export interface ApplyBatches {
  integrations: IntegrationBatch | null
  /** Batch that reverts `integrations`. */
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

/** An apply is open until it is done, undone or abandoned. */
export type ApplyState =
  | 'planning'
  | 'planned'
  | 'integrations_saved'
  | 'components_changed'
  | 'undoing'
  | 'done'
  | 'undone'
  | 'abandoned'

export type OpenApplyState = Exclude<ApplyState, 'done' | 'undone' | 'abandoned'>

type Step = {
  [Name in keyof ApplyBatches]: { batch: Name; next: ApplyState; onRefusal: ApplyState | null }
}[keyof ApplyBatches]

/**
 * Batch of each state and the state that follows its success. `onRefusal` is the state after a
 * rejection; with null a rejected step counts as done.
 */
export const applySteps: Record<Exclude<OpenApplyState, 'planning'>, Step> = {
  planned: { batch: 'integrations', next: 'integrations_saved', onRefusal: 'undone' },
  integrations_saved: { batch: 'components', next: 'components_changed', onRefusal: 'undoing' },
  components_changed: { batch: 'removals', next: 'done', onRefusal: null },
  undoing: { batch: 'undo', next: 'undone', onRefusal: null },
}

export const isApplyOpen = (state: ApplyState): state is OpenApplyState =>
  !['done', 'undone', 'abandoned'].includes(state)

/**
 * States of an apply and the remaining steps of each. Integrations and channels are saved first and
 * can be undone; the component batch is one transaction and the point of no return; removals come
 * last.
 */
import type {
  ChannelBatch,
  ComponentBatch,
  ConfigApplyResult,
  ConfigResourceType,
  ConfigSource,
  IntegrationBatch,
} from '@status-page/contracts'

/** Data that another process needs to end an apply; secrets are encrypted. */
export interface ApplyWork {
  batches: ApplyBatches
  /** Version to create; null if the document equals the last applied one. */
  version: NewVersion | null
  applied: ConfigApplyResult
  /** Part of the error message that lists what earlier steps of an undo left. */
  remainder?: string
}

export interface ApplyBatches {
  integrations: IntegrationBatch | null
  /** Batch that reverts `integrations`. */
  undo: IntegrationBatch | null
  channels: ChannelBatch | null
  /** Batch that reverts `channels`. */
  channelUndo: ChannelBatch | null
  components: ComponentBatch | null
  removals: IntegrationBatch | null
  channelRemovals: ChannelBatch | null
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
  | 'channels_saved'
  | 'components_changed'
  | 'integrations_removed'
  | 'undoing_channels'
  | 'undoing'
  | 'done'
  | 'undone'
  | 'abandoned'

export type OpenApplyState = Exclude<ApplyState, 'done' | 'undone' | 'abandoned'>

interface Step {
  batch: keyof ApplyBatches
  next: ApplyState
  /** State after a rejection; with null a rejected step counts as done. */
  onRefusal: ApplyState | null
  /** Resources of the batch, in the report of a step that counts as done after its rejection. */
  resources: ConfigResourceType
  isUndo: boolean
}

const save = { isUndo: false }
const undo = { onRefusal: null, isUndo: true }
const removal = { onRefusal: null, isUndo: false }

/** Batch of each state, and the state that follows its success. */
export const applySteps: Record<Exclude<OpenApplyState, 'planning'>, Step> = {
  planned: {
    ...save,
    batch: 'integrations',
    resources: 'integration',
    next: 'integrations_saved',
    onRefusal: 'undone',
  },
  integrations_saved: {
    ...save,
    batch: 'channels',
    resources: 'notification_channel',
    next: 'channels_saved',
    onRefusal: 'undoing',
  },
  channels_saved: {
    ...save,
    batch: 'components',
    resources: 'component',
    next: 'components_changed',
    onRefusal: 'undoing_channels',
  },
  components_changed: {
    ...removal,
    batch: 'removals',
    resources: 'integration',
    next: 'integrations_removed',
  },
  integrations_removed: {
    ...removal,
    batch: 'channelRemovals',
    resources: 'notification_channel',
    next: 'done',
  },
  undoing_channels: {
    ...undo,
    batch: 'channelUndo',
    resources: 'notification_channel',
    next: 'undoing',
  },
  undoing: { ...undo, batch: 'undo', resources: 'integration', next: 'undone' },
}

export const isApplyOpen = (state: ApplyState): state is OpenApplyState =>
  !['done', 'undone', 'abandoned'].includes(state)

/**
 * Internal operations of notifier for config-sync: read all definitions of notification channels,
 * and change many channels in one transaction.
 */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { optional, patchSchemaOf } from '../patch.ts'
import { Id, Nullable, OneLine, OneOf } from '../scalars.ts'
import { BatchMode } from './component-batches.ts'
import { DefinitionEtag, definitionPageOf, ResourceDefinition } from './definitions.ts'
import { channelChoices, channelTypes } from './notification-channels.ts'

/** Definitions per page of a reply; one has at most 0.7 MB. */
export const MAX_CHANNEL_DEFINITIONS_PER_REPLY = 20
/** Maximum number of changes of one kind: the limit of a document, and what pruning deletes. */
const MAX_BATCH_CHANGES = 2_000
export const MAX_CHANNEL_BATCH_BYTES = 5 * 1024 * 1024

/**
 * Configuration by field, validated by the type of the channel. Secrets are encrypted (purpose
 * `channel`), or the marker, which leaves the stored value unchanged.
 */
const SealedConfig = Type.Record(Type.String(), Type.Unknown())

export const NewChannelDefinition = Type.Object({
  name: OneLine(100),
  type: OneOf(channelTypes),
  config: SealedConfig,
  ...optional(channelChoices),
})
export type NewChannelDefinition = Static<typeof NewChannelDefinition>

export const ChannelDefinitionPatch = patchSchemaOf({ config: SealedConfig, ...channelChoices }, [
  'config',
  'events',
  'componentIds',
  'impacts',
  'isEnabled',
])
export type ChannelDefinitionPatch = Static<typeof ChannelDefinitionPatch>

/** Expected definition; null accepts any. */
const ExpectedEtag = Nullable(DefinitionEtag)

/**
 * Changes of channels that are applied in one transaction. Component ids are accepted as given:
 * core creates some of the components afterwards.
 */
export const ChannelBatch = Type.Object({
  /** A repeated batch with the id of an applied one returns its reply and changes nothing. */
  id: Id,
  mode: BatchMode,
  /**
   * Batch that this one undoes. When that batch has not been applied, it is blocked and this one
   * changes nothing.
   */
  undoes: Nullable(Id),
  create: Type.Array(Type.Object({ id: Id, value: NewChannelDefinition }), {
    maxItems: MAX_BATCH_CHANGES,
  }),
  /**
   * Channels to update. 409 `version_mismatch` when a channel has another definition or is deleted;
   * an undo leaves out deleted ones.
   */
  update: Type.Array(Type.Object({ id: Id, etag: ExpectedEtag, value: ChannelDefinitionPatch }), {
    maxItems: MAX_BATCH_CHANGES,
  }),
  /** Channels to delete. A missing channel counts as deleted. */
  remove: Type.Array(Type.Object({ id: Id, etag: ExpectedEtag }), { maxItems: MAX_BATCH_CHANGES }),
})
export type ChannelBatch = Static<typeof ChannelBatch>

export const channelBatchOperations = operationsOf('notifier', 'channel-batches', {
  definitions: {
    route: 'GET /internal/notification-channels/definitions',
    base: 'root',
    summary: 'List the definitions of all notification channels',
    permission: 'caller',
    callers: ['config-sync'],
    query: Type.Object({ after: Type.Optional(Id) }),
    reply: definitionPageOf(ResourceDefinition),
  },
  apply: {
    route: 'POST /internal/notification-channels/batches',
    base: 'root',
    summary: 'Change notification channels in one transaction',
    permission: 'caller',
    callers: ['config-sync'],
    bodyLimit: MAX_CHANNEL_BATCH_BYTES,
    body: ChannelBatch,
    reply: Type.Object({ isRepeat: Type.Boolean() }),
  },
})

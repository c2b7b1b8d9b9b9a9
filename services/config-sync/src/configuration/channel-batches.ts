/** Batches of a plan for notifier, with encrypted secrets, and the inverse of its changes. */
import {
  type ChannelBatch,
  type Cooperative,
  type Issue,
  MAX_CHANNEL_BATCH_BYTES,
  REDACTED,
} from '@status-page/contracts'
import { channelEncryptionContext, mapSecrets } from '@status-page/secrets'
import type { BatchContext } from './batch-context.ts'
import type { ApplyBatches } from './journal.ts'
import type { ConfigurationPlan, DefinitionPlan, PlannedFields } from './plan/planning.ts'
import { channelConfig, isMap } from './typed-config.ts'

type ChannelBatches = Pick<ApplyBatches, 'channels' | 'channelUndo' | 'channelRemovals'>

/** A batch is null without changes. */
export function* channelBatches(
  { definitions }: ConfigurationPlan,
  context: BatchContext,
): Cooperative<ChannelBatches> {
  const planned = definitions.get('notification_channel')
  if (planned === undefined) return { channels: null, channelUndo: null, channelRemovals: null }
  const { create, update, remove } = planned
  const isSaved = create.length + update.length > 0
  const channels = isSaved ? yield* saveChannels(planned, context) : null
  const removals = remove.map(({ id, etag }) => ({ id, etag }))
  return {
    channels,
    channelUndo: channels === null ? null : undoChannels(planned, context, channels.id),
    channelRemovals: remove.length === 0 ? null : { ...emptyBatch(context), remove: removals },
  }
}

const emptyBatch = ({ newId }: BatchContext): ChannelBatch => ({
  id: newId(),
  mode: 'apply',
  undoes: null,
  create: [],
  update: [],
  remove: [],
})

function* saveChannels(
  { create, update }: DefinitionPlan,
  context: BatchContext,
): Cooperative<ChannelBatch> {
  const batch = emptyBatch(context)
  for (const { id, value } of create) {
    const sealed = sealFields(context, { id, type: value.type }, value)
    batch.create.push({ id, value: sealed as ChannelBatch['create'][number]['value'] })
    yield
  }
  for (const { id, value, before } of update) {
    const sealed = sealFields(context, { id, type: before.fields.type }, value)
    batch.update.push({ id, etag: before.etag, value: sealed })
    yield
  }
  return batch
}

/**
 * Restores the changed fields to their previous values; concurrent changes of other fields remain.
 */
const undoChannels = (
  { create, update }: DefinitionPlan,
  context: BatchContext,
  undoes: string,
): ChannelBatch => ({
  ...emptyBatch(context),
  undoes,
  update: update.map(({ id, value, before }) => {
    const fields = previousFields(value, before.stored)
    return { id, etag: null, value: sealFields(context, { id, type: before.fields.type }, fields) }
  }),
  remove: create.map(({ id }) => ({ id, etag: null })),
})

/** Stored values of the fields of a patch, and of the fields of its config. */
const previousFields = (patch: PlannedFields, stored: PlannedFields): PlannedFields =>
  Object.fromEntries(
    Object.entries(patch).map(([field, value]) => {
      const before = stored[field]
      return [
        field,
        field === 'config' && isMap(value) && isMap(before) ? pick(before, value) : before,
      ]
    }),
  )

/** A field that was not stored is null, which removes it. */
const pick = (stored: PlannedFields, given: object): PlannedFields =>
  Object.fromEntries(Object.keys(given).map((field) => [field, stored[field] ?? null]))

const sealFields = (
  { sealer, organizationId }: BatchContext,
  { id, type }: { id: string; type: unknown },
  fields: PlannedFields,
): PlannedFields => {
  const { config } = fields
  if (!isMap(config)) return fields
  const context = channelEncryptionContext({ organizationId, id })
  const sealed = mapSecrets(channelConfig.secretsOf(String(type)), config, (text) =>
    text === REDACTED ? text : sealer.seal(text, context),
  )
  return { ...fields, config: sealed }
}

/** Issue of a batch that notifier would reject; the previous values can be larger than the new. */
export const channelSizeIssues = ({ channels, channelUndo }: ApplyBatches): Issue[] => {
  const sizes = [channels, channelUndo].map((batch) => Buffer.byteLength(JSON.stringify(batch)))
  if (Math.max(...sizes) <= MAX_CHANNEL_BATCH_BYTES) return []
  const field = 'spec.notificationChannels'
  return [{ field, message: `${field} changes too much at once: change fewer channels` }]
}

/** Sends the batches of an apply to their owners. */
import {
  type Actor,
  channelBatchOperations,
  componentBatchOperations,
  integrationBatchOperations,
} from '@status-page/contracts'
import type { Caller, Client, ClientRequest } from '@status-page/service'
import type { ApplyBatches } from './journal.ts'

/**
 * The owners trust config-sync, which checks the permission of every operation itself.
 */
export const internalCallOptions = ({
  organizationId,
  actor,
}: {
  organizationId: string
  actor: Actor
}) => {
  const { type, userId, apiKeyId, requestId, ipAddress, userAgent } = actor
  const caller: Caller & { organizationId: string } = {
    organizationId,
    actor: { type, userId, apiKeyId },
    grants: { kind: 'service' },
  }
  return { caller, requestId, ipAddress, userAgent } satisfies Partial<ClientRequest<object>>
}

interface Owners {
  core: Client
  integrations: Client
  notifier: Client
}

type Options = ReturnType<typeof internalCallOptions>

/** Returns the names of integrations that an undo could not delete. */
type SendBatch = (
  owners: Owners,
  options: Options,
  batches: ApplyBatches,
) => Promise<readonly string[]>

const toIntegrations =
  (name: 'integrations' | 'undo' | 'removals'): SendBatch =>
  async ({ integrations }, options, batches) => {
    const body = batches[name]
    if (body === null) return []
    const reply = await integrations.call(integrationBatchOperations.apply, { ...options, body })
    // Older releases of integrations do not return the list.
    return reply.retained ?? []
  }

const toNotifier =
  (name: 'channels' | 'channelUndo' | 'channelRemovals'): SendBatch =>
  async ({ notifier }, options, batches) => {
    // The journal of an older release has no batches of channels.
    const body = batches[name] ?? null
    if (body !== null) await notifier.call(channelBatchOperations.apply, { ...options, body })
    return []
  }

const toCore: SendBatch = async ({ core }, options, { components: body }) => {
  if (body !== null) await core.call(componentBatchOperations.apply, { ...options, body })
  return []
}

export const sendBatch: Record<keyof ApplyBatches, SendBatch> = {
  integrations: toIntegrations('integrations'),
  undo: toIntegrations('undo'),
  removals: toIntegrations('removals'),
  channels: toNotifier('channels'),
  channelUndo: toNotifier('channelUndo'),
  channelRemovals: toNotifier('channelRemovals'),
  components: toCore,
}

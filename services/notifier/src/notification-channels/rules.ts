/** Creation and change of channels, with decrypted secrets; pure. */
import {
  type AnyChannelConfig,
  type ChannelPatch,
  channelCreated,
  channelDeleted,
  channelUpdated,
  draftEvent,
  type EventDraft,
  type NewChannel,
} from '@status-page/contracts'
import type { ChannelRow } from '../tables.ts'

/** Channel, and whether its login is refused at present. */
export interface ChannelState {
  row: ChannelRow
  isPaused: boolean
}

interface ChannelCreation {
  id: string
  organizationId: string
  config: AnyChannelConfig
  now: Date
  /** True when an apply of config-sync creates the channel. */
  managedByConfig: boolean
}

export const createChannel = (
  body: Omit<NewChannel, 'config'>,
  creation: ChannelCreation,
): ChannelRow => {
  const { id, organizationId, config, now, managedByConfig } = creation
  return {
    id,
    organizationId,
    type: body.type,
    name: body.name,
    config,
    events: body.events ?? [],
    componentIds: body.componentIds ?? [],
    impacts: body.impacts ?? [],
    isEnabled: body.isEnabled ?? true,
    messageTemplate: body.messageTemplate ?? null,
    disabledReason: null,
    managedByConfig,
    lastDeliveryAt: null,
    lastDeliveryStatus: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
}

export type ChannelChoices = Omit<ChannelPatch, 'config'>

/** Returns the changed row; null when nothing changes. */
export const changeChannel = (
  { row, isPaused }: ChannelState,
  patch: ChannelChoices,
  { config, now }: Pick<ChannelCreation, 'config' | 'now'>,
): ChannelRow | null => {
  const { messageTemplate, ...others } = patch
  const changes = Object.entries(others).filter(([, value]) => value !== undefined)
  const isRevived = patch.isEnabled === true || !isSame(config, row.config)
  const changed: ChannelRow = {
    ...row,
    ...Object.fromEntries(changes),
    config,
    messageTemplate: messageTemplate === undefined ? row.messageTemplate : messageTemplate,
    disabledReason: isRevived ? null : row.disabledReason,
  }
  return isSame(changed, row) && !(isRevived && isPaused)
    ? null
    : { ...changed, version: row.version + 1, updatedAt: now }
}

/** Compares by JSON; both sides have the same order of fields. */
const isSame = (one: object, other: object): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** Event of a created, updated or deleted channel. */
export const channelEvent = (
  verb: 'created' | 'updated' | 'deleted',
  { id, name, type, version }: ChannelRow,
): EventDraft => {
  const data = { channel: { id, name, type } }
  if (verb === 'created') return draftEvent(channelCreated, { id, version }, data)
  return verb === 'updated'
    ? draftEvent(channelUpdated, { id, version }, data)
    : draftEvent(channelDeleted, { id, version: version + 1 }, data)
}

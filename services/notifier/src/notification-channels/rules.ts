/** What becomes of a channel: made, changed. Its config has its secrets opened; pure. */
import {
  type AnyChannelConfig,
  type ChannelPatch,
  channelCreated,
  channelDeleted,
  channelUpdated,
  type EventDraft,
  emit,
  type NewChannel,
} from '@status-page/contracts'
import type { ChannelRow } from '../tables.ts'

/** A channel and whether its login is refused at present. */
export interface ChannelState {
  row: ChannelRow
  isPaused: boolean
}

interface ChannelCreation {
  id: string
  organizationId: string
  config: AnyChannelConfig
  now: Date
}

export const createChannel = (body: NewChannel, creation: ChannelCreation): ChannelRow => {
  const { id, organizationId, config, now } = creation
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
    lastDeliveryAt: null,
    lastDeliveryStatus: null,
    version: 1,
    createdAt: now,
    updatedAt: now,
  }
}

type ChannelChoices = Omit<ChannelPatch, 'config'>

/** Null when it has no effect. */
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

/** Both sides have their fields in one order. */
const isSame = (one: object, other: object): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** What others are told: that it is there, what it is called now, that it is gone. */
export const channelEvent = (
  verb: 'created' | 'updated' | 'deleted',
  { id, name, type, version }: ChannelRow,
): EventDraft => {
  const fact = { channel: { id, name, type } }
  if (verb === 'created') return emit(channelCreated, { id, version }, fact)
  return verb === 'updated'
    ? emit(channelUpdated, { id, version }, fact)
    : emit(channelDeleted, { id, version: version + 1 }, fact)
}

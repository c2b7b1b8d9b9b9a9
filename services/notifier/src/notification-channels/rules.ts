/** What becomes of a channel: made, changed. Its config has its secrets opened; pure. */
import type { AnyChannelConfig, ChannelPatch, NewChannel } from '@status-page/contracts'
import type { ChannelRow } from '../tables.ts'

/** A channel and whether its login is refused at present. */
export interface Kept {
  row: ChannelRow
  isPaused: boolean
}

interface Making {
  id: string
  organizationId: string
  config: AnyChannelConfig
  now: Date
}

export const makeChannel = (body: NewChannel, making: Making): ChannelRow => {
  const { id, organizationId, config, now } = making
  return {
    ...{ id, organizationId, type: body.type, name: body.name, config },
    events: body.events ?? [],
    componentIds: body.componentIds ?? [],
    impacts: body.impacts ?? [],
    isEnabled: body.isEnabled ?? true,
    messageTemplate: body.messageTemplate ?? null,
    ...{ disabledReason: null, lastDeliveryAt: null, lastDeliveryStatus: null },
    ...{ createdAt: now, updatedAt: now },
  }
}

type Choices = Omit<ChannelPatch, 'config'>

/** Null when it has no effect. */
export const changeChannel = (
  { row, isPaused }: Kept,
  patch: Choices,
  { config, now }: Pick<Making, 'config' | 'now'>,
): ChannelRow | null => {
  const { messageTemplate, ...others } = patch
  const given = Object.entries(others).filter(([, value]) => value !== undefined)
  const isRevived = patch.isEnabled === true || !isSame(config, row.config)
  const changed: ChannelRow = {
    ...row,
    ...Object.fromEntries(given),
    config,
    messageTemplate: messageTemplate === undefined ? row.messageTemplate : messageTemplate,
    disabledReason: isRevived ? null : row.disabledReason,
  }
  return isSame(changed, row) && !(isRevived && isPaused) ? null : { ...changed, updatedAt: now }
}

/** Both sides have their fields in one order. */
const isSame = (one: object, other: object): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/**
 * Secrets of channels: encrypted one by one, decrypted for one message, redacted in every response.
 */
import type { AnyChannelConfig, ChannelType } from '@status-page/contracts'
import { redactSecrets, type Sealer } from '@status-page/secrets'
import type { EncryptedText } from '@status-page/service'
import type { ChannelRow } from '../tables.ts'
import type { DecryptedChannel } from './channel.ts'
import { channels } from './index.ts'

type Owner = Pick<ChannelRow, 'id' | 'organizationId' | 'type'>

const contextOf = ({ id, organizationId }: Owner) =>
  ({ organizationId, purpose: 'channel', recordId: id }) as const

export const encryptConfig = (
  sealer: Sealer,
  owner: Owner,
  config: AnyChannelConfig,
): AnyChannelConfig =>
  mapSecrets(owner.type, config, (secret) => sealer.seal(secret, contextOf(owner)))

export const decryptConfig = (
  sealer: Sealer,
  channel: Owner & Pick<ChannelRow, 'config'>,
): AnyChannelConfig =>
  mapSecrets(channel.type, channel.config, (sealed) => sealer.open(sealed, contextOf(channel)))

/** Encrypted texts of the channel, each with its context. */
export const encryptedTexts = (channel: Owner & Pick<ChannelRow, 'config'>): EncryptedText[] => {
  const texts: EncryptedText[] = []
  mapSecrets(channel.type, channel.config, (sealed) => {
    texts.push({ sealed, context: contextOf(channel) })
    return sealed
  })
  return texts
}

export const decryptChannel = (
  sealer: Sealer,
  row: Owner & Pick<ChannelRow, 'name' | 'config' | 'messageTemplate'>,
): DecryptedChannel => {
  const { id, organizationId, name, type, messageTemplate } = row
  const config = decryptConfig(sealer, row)
  return { id, organizationId, name, type, config, messageTemplate } as DecryptedChannel
}

export const redactConfig = (type: ChannelType, config: AnyChannelConfig): AnyChannelConfig =>
  redactSecrets(channels[type].secrets, config)

const mapSecrets = (
  type: ChannelType,
  config: AnyChannelConfig,
  map: (secret: string) => string,
): AnyChannelConfig => {
  const mapped: Record<string, unknown> = { ...config }
  for (const path of channels[type].secrets) {
    const field = path.replace(/\.\*$/, '')
    const value = mapped[field]
    if (typeof value === 'string') mapped[field] = map(value)
    else if (typeof value === 'object' && value !== null) {
      mapped[field] = Object.fromEntries(
        Object.entries(value).map(([name, secret]) => [name, map(secret as string)]),
      )
    }
  }
  return mapped as AnyChannelConfig
}

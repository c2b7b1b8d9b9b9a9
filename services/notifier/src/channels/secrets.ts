/**
 * Secrets of channels: encrypted one by one, decrypted for one message, redacted in every response.
 */
import { type AnyChannelConfig, type ChannelType, invalid, REDACTED } from '@status-page/contracts'
import {
  channelEncryptionContext,
  mapSecrets,
  redactSecrets,
  SealError,
  type Sealer,
} from '@status-page/secrets'
import type { EncryptedText } from '@status-page/service'
import type { ChannelRow } from '../tables.ts'
import type { DecryptedChannel } from './channel.ts'
import { channels } from './index.ts'

type Owner = Pick<ChannelRow, 'id' | 'organizationId' | 'type'>

export const encryptConfig = (
  sealer: Sealer,
  owner: Owner,
  config: AnyChannelConfig,
): AnyChannelConfig =>
  mapSecretsOf(owner.type, config, (secret) => sealer.seal(secret, channelEncryptionContext(owner)))

export const decryptConfig = (
  sealer: Sealer,
  channel: Owner & Pick<ChannelRow, 'config'>,
): AnyChannelConfig =>
  mapSecretsOf(channel.type, channel.config, (sealed) =>
    sealer.open(sealed, channelEncryptionContext(channel)),
  )

/** Decrypts the secrets of given settings, except markers; throws 400 for those of another channel. */
export const openGivenConfig = (sealer: Sealer, owner: Owner, config: object): AnyChannelConfig =>
  mapSecrets(channels[owner.type].secrets, config, (text, path) => {
    if (text === REDACTED) return text
    try {
      return sealer.open(text, channelEncryptionContext(owner))
    } catch (error) {
      if (!(error instanceof SealError)) throw error
      const field = `config.${path}`
      throw invalid({ field, message: `${field} is not sealed to the channel` })
    }
  }) as AnyChannelConfig

/** Encrypted texts of the channel, each with its context. */
export const encryptedTexts = (channel: Owner & Pick<ChannelRow, 'config'>): EncryptedText[] => {
  const texts: EncryptedText[] = []
  mapSecretsOf(channel.type, channel.config, (sealed) => {
    texts.push({ sealed, context: channelEncryptionContext(channel) })
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

/** Applies `map` to each secret of the configuration. */
const mapSecretsOf = (
  type: ChannelType,
  config: object,
  map: (secret: string) => string,
): AnyChannelConfig => mapSecrets(channels[type].secrets, config, map) as AnyChannelConfig

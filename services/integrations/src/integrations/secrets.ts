/**
 * Credentials of integrations: each secret encrypted separately, decrypted per query, redacted in
 * responses.
 */
import {
  type AnyIntegrationConfig,
  type IntegrationType,
  integrationSecrets,
} from '@status-page/contracts'
import { integrationEncryptionContext, redactSecrets, type Sealer } from '@status-page/secrets'
import type { EncryptedText } from '@status-page/service'
import type { DecryptedIntegration } from '../platforms/platform.ts'
import type { IntegrationRow } from '../tables.ts'

type Owner = Pick<IntegrationRow, 'id' | 'organizationId' | 'type'>
type StoredIntegration = Owner & Pick<IntegrationRow, 'config'>

export const encryptConfig = (
  sealer: Sealer,
  owner: Owner,
  config: AnyIntegrationConfig,
): AnyIntegrationConfig =>
  mapSecrets(owner.type, config, (secret, field) =>
    sealer.seal(secret, integrationEncryptionContext(owner, field)),
  )

export const decryptConfig = (sealer: Sealer, row: StoredIntegration): AnyIntegrationConfig =>
  mapSecrets(row.type, row.config, (sealed, field) =>
    sealer.open(sealed, integrationEncryptionContext(row, field)),
  )

export const decryptIntegration = (sealer: Sealer, row: StoredIntegration): DecryptedIntegration =>
  ({ id: row.id, type: row.type, config: decryptConfig(sealer, row) }) as DecryptedIntegration

/** Stored secrets, each with its encryption context. */
export const sealedTexts = (row: StoredIntegration): EncryptedText[] => {
  const texts: EncryptedText[] = []
  mapSecrets(row.type, row.config, (sealed, field) => {
    texts.push({ sealed, context: integrationEncryptionContext(row, field) })
    return sealed
  })
  return texts
}

export const redactConfig = (
  type: IntegrationType,
  config: AnyIntegrationConfig,
): AnyIntegrationConfig => redactSecrets(integrationSecrets[type], config)

/** Maps each secret that is set, by its field. */
export const mapSecrets = (
  type: IntegrationType,
  config: object,
  map: (secret: string, field: string) => string,
): AnyIntegrationConfig => {
  const mapped: Record<string, unknown> = { ...config }
  for (const field of integrationSecrets[type]) {
    const value = mapped[field]
    if (typeof value === 'string') mapped[field] = map(value, field)
  }
  return mapped as AnyIntegrationConfig
}

/** Encryption contexts of records that several services encrypt and decrypt. */
import type { SealContext } from './seal.ts'

/**
 * Context of the value of a request header of a check; a value that was moved to another header does
 * not decrypt.
 */
export const headerEncryptionContext = (
  { organizationId, componentId }: { organizationId: string; componentId: string },
  name: string,
): SealContext => ({
  organizationId,
  purpose: 'component-header',
  recordId: `${componentId}:${name.toLowerCase()}`,
})

/** Context of a secret field of the config of an integration. */
export const integrationEncryptionContext = (
  { organizationId, id }: { organizationId: string; id: string },
  field: string,
): SealContext => ({ organizationId, purpose: 'integration', recordId: `${id}:${field}` })

/** Context of every secret of the config of a notification channel. */
export const channelEncryptionContext = ({
  organizationId,
  id,
}: {
  organizationId: string
  id: string
}): SealContext => ({ organizationId, purpose: 'channel', recordId: id })

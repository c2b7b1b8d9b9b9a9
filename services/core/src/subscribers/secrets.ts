/** Stored forms of a subscriber's secrets: encrypted for it, or hashed. */
import { hashToken, randomToken, type Sealer, sha256 } from '@status-page/secrets'
import { type AddressInput, addressOf, type ProtectedSubscriberValues } from './rules.ts'

export interface SubscriberIdentity {
  organizationId: string
  id: string
}

/**
 * The manage token appears only in mails; stored are its hash and an encrypted copy for the sender
 * of mails.
 */
export const encryptSecrets = (
  sealer: Sealer,
  owner: SubscriberIdentity,
  body: AddressInput,
): ProtectedSubscriberValues => {
  const token = randomToken()
  return {
    addressDigest: sha256(addressOf(body)),
    webhookSecret: encryptWebhookSecret(sealer, owner, body),
    manageTokenDigest: hashToken(token),
    manageToken: sealer.seal(token, manageTokenEncryptionContext(owner)),
  }
}

export const encryptWebhookSecret = (
  sealer: Sealer,
  owner: SubscriberIdentity,
  body: AddressInput,
): string | null =>
  body.type !== 'webhook' || body.webhookSecret === undefined
    ? null
    : sealer.seal(body.webhookSecret, webhookEncryptionContext(owner))

/** Encrypted secret of a PATCH; undefined when it equals the stored one. */
export const reencryptWebhookSecret = (
  sealer: Sealer,
  owner: SubscriberIdentity & { webhookSecret: string | null },
  given: string | null | undefined,
): string | null | undefined => {
  if (given === undefined) return undefined
  const { webhookSecret: sealed } = owner
  const stored = sealed === null ? null : sealer.open(sealed, webhookEncryptionContext(owner))
  if (given === stored) return undefined
  return given === null ? null : sealer.seal(given, webhookEncryptionContext(owner))
}

export const webhookEncryptionContext = ({ organizationId, id }: SubscriberIdentity) =>
  ({ organizationId, purpose: 'webhook', recordId: id }) as const

export const manageTokenEncryptionContext = ({ organizationId, id }: SubscriberIdentity) =>
  ({ organizationId, purpose: 'mail-token', recordId: id }) as const

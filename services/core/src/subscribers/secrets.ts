/** Stored forms of a subscriber's secrets: encrypted for it, or hashed. */
import { hashToken, randomToken, type Sealer, sha256 } from '@status-page/secrets'
import { type Addressed, addressOf, type Protected } from './rules.ts'

export interface SubscriberKey {
  organizationId: string
  id: string
}

/**
 * The manage token appears only in mails; stored are its hash and an encrypted copy for the sender
 * of mails.
 */
export const sealSecrets = (sealer: Sealer, owner: SubscriberKey, body: Addressed): Protected => {
  const token = randomToken()
  return {
    addressDigest: sha256(addressOf(body)),
    webhookSecret: sealWebhookSecret(sealer, owner, body),
    manageTokenDigest: hashToken(token),
    manageToken: sealer.seal(token, tokenContext(owner)),
  }
}

export const sealWebhookSecret = (
  sealer: Sealer,
  owner: SubscriberKey,
  body: Addressed,
): string | null =>
  body.type !== 'webhook' || body.webhookSecret === undefined
    ? null
    : sealer.seal(body.webhookSecret, webhookContext(owner))

/** Encrypted secret of a PATCH; undefined when it equals the stored one. */
export const resealWebhookSecret = (
  sealer: Sealer,
  owner: SubscriberKey & { webhookSecret: string | null },
  given: string | null | undefined,
): string | null | undefined => {
  if (given === undefined) return undefined
  const { webhookSecret: sealed } = owner
  const stored = sealed === null ? null : sealer.open(sealed, webhookContext(owner))
  if (given === stored) return undefined
  return given === null ? null : sealer.seal(given, webhookContext(owner))
}

export const webhookContext = ({ organizationId, id }: SubscriberKey) =>
  ({ organizationId, purpose: 'webhook', recordId: id }) as const

export const tokenContext = ({ organizationId, id }: SubscriberKey) =>
  ({ organizationId, purpose: 'mail-token', recordId: id }) as const

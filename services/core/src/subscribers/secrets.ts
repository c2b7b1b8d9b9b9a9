/** What a subscriber's secrets are stored as: sealed to it, or as a digest. */
import { hashToken, randomToken, type Sealer, sha256 } from '@status-page/secrets'
import { type Addressed, addressOf, type Protected } from './rules.ts'

export interface SubscriberKey {
  organizationId: string
  id: string
}

/** The token itself is only in the mails: here its digest, and sealed for who writes them. */
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

/** The secret as a PATCH stores it; undefined where it says what is so already. */
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

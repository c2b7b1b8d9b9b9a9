/** Key rotation for secrets in stored events, whose deliveries may still be sent. */
import type { SubscriberEventData } from '@status-page/contracts'
import { encryptedSource } from '@status-page/postgres'
import type { SealPurpose } from '@status-page/secrets'
import type { EncryptedText } from '@status-page/service'
import { and, or, sql } from 'drizzle-orm'
import { fanouts } from '../tables.ts'

const { eventId, organizationId, aggregateId, kind, payload } = fanouts

/**
 * Encrypted fields of an event: a token in account events; also secrets in confirmation requests.
 */
interface Sealed {
  sealedToken?: string
  webhookSecret?: string | null
  subscriber?: SubscriberEventData
}

/** Paths of the encrypted fields in the payload. */
const paths = [
  '{sealedToken}',
  '{webhookSecret}',
  '{subscriber,webhookSecret}',
  '{subscriber,previousWebhookSecret,sealed}',
  '{subscriber,manageToken}',
] as const

export const encryptedEvents = encryptedSource({
  name: 'events',
  table: fanouts,
  id: eventId,
  columns: [payload],
  selected: { organizationId, aggregateId, payload },
  isStale: (prefix) =>
    and(
      // The predicate of the partial index, which would not be used otherwise.
      sql`has_encrypted_field(${kind})`,
      or(
        ...paths.map(
          (path) => sql`${payload} #>> ${sql.raw(`'${path}'`)} NOT LIKE ${`${prefix}%`}`,
        ),
      ),
    ),
  textsOf: (row) => textsOf(row, row.payload as Sealed),
})

/** The token is bound to the event's aggregate, the rest to the subscriber. */
const textsOf = (
  { organizationId, aggregateId }: { organizationId: string; aggregateId: string },
  { sealedToken, webhookSecret, subscriber }: Sealed,
): EncryptedText[] => {
  const textOf = (
    sealed: string | null | undefined,
    purpose: SealPurpose,
    recordId = aggregateId,
  ) => (sealed ? [{ sealed, context: { organizationId, purpose, recordId } }] : [])
  return [
    ...textOf(sealedToken, 'mail-token'),
    ...textOf(webhookSecret, 'webhook', subscriber?.id),
    ...textOf(subscriber?.webhookSecret, 'webhook', subscriber?.id),
    ...textOf(subscriber?.previousWebhookSecret?.sealed, 'webhook', subscriber?.id),
    ...textOf(subscriber?.manageToken, 'mail-token', subscriber?.id),
  ]
}

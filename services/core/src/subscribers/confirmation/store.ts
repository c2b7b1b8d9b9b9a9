/** SQL of pending confirmations, and of the daily message limit of each address. */
import {
  asLookup,
  type Database,
  resourceTable,
  type Scope,
  type SystemScope,
} from '@status-page/postgres'
import { and, desc, eq, gt, lte, ne, sql } from 'drizzle-orm'
import {
  type ConfirmationRow,
  confirmationMessages,
  subscriberConfirmations as confirmations,
  type SubscriberRow,
} from '../../tables.ts'
import { MAX_MESSAGES_PER_WINDOW, MESSAGE_WINDOW_MS, UNCONFIRMED_RETENTION_MS } from './rules.ts'

const FORGET_LIMIT = 500
/** Maximum number of organizations that wait for a code of the same phone. */
const MAX_CODES = 20

const table = resourceTable(confirmations)

export const { insert: insertConfirmation } = table

/**
 * Counts a message; false when the daily limit is reached. Requests for one address are serialized.
 */
export const countConfirmationMessage = async (
  { tx, now }: Scope,
  digest: string,
): Promise<boolean> => {
  await tx.execute(
    sql`SELECT pg_advisory_xact_lock(hashtextextended(${`confirmation-message ${digest}`}, 0))`,
  )
  const since = new Date(now.getTime() - MESSAGE_WINDOW_MS).toISOString()
  const rows = await tx.execute(sql`
    INSERT INTO confirmation_messages (address_digest, at)
    SELECT ${digest}, ${now.toISOString()}::timestamptz WHERE ${MAX_MESSAGES_PER_WINDOW} > (
      SELECT count(*) FROM confirmation_messages
      WHERE address_digest = ${digest} AND at > ${since}::timestamptz)
    RETURNING at`)
  return rows.length > 0
}

/** Deletes all pending confirmations of the subscriber except the newest. */
export const removeConfirmations = async (
  scope: Scope,
  subscriberId: string,
  exceptId: string | null,
): Promise<void> => {
  await scope.tx
    .delete(confirmations)
    .where(
      table.own(
        scope,
        eq(confirmations.subscriberId, subscriberId),
        exceptId === null ? undefined : ne(confirmations.id, exceptId),
      ),
    )
}

/** Undefined when it was confirmed in the meantime or has expired. */
export const findConfirmation = async (
  scope: Scope,
  id: string,
): Promise<ConfirmationRow | undefined> => {
  const isCurrent = gt(confirmations.expiresAt, scope.now)
  return (await table.select(scope, eq(confirmations.id, id), isCurrent))[0]
}

export const countCodeAttempt = (scope: Scope, id: string): Promise<void> =>
  table.update(scope, { tries: sql`${confirmations.tries} + 1` }, eq(confirmations.id, id))

export interface ConfirmationRequest {
  id: string
  organizationId: string
  subscriberId: string
}

const question = {
  id: confirmations.id,
  organizationId: confirmations.organizationId,
  subscriberId: confirmations.subscriberId,
}

/** Finds the confirmation of a token in any organization. */
export const findConfirmationByToken = (
  database: Database,
  digest: string,
): Promise<ConfirmationRequest | undefined> =>
  asLookup(database, async ({ tx, now }) => {
    const [found] = await tx
      .select(question)
      .from(confirmations)
      .where(and(eq(confirmations.secretDigest, digest), gt(confirmations.expiresAt, now)))
    return found
  })

/** Pending confirmations by code of this phone, newest first. */
export const findConfirmationByPhone = (
  database: Database,
  addressDigest: string,
): Promise<ConfirmationRequest[]> =>
  asLookup(database, ({ tx, now }) =>
    tx
      .select(question)
      .from(confirmations)
      .where(and(eq(confirmations.addressDigest, addressDigest), gt(confirmations.expiresAt, now)))
      .orderBy(desc(confirmations.createdAt))
      .limit(MAX_CODES),
  )

export const removeExpiredConfirmations = async ({ tx, now }: SystemScope): Promise<number> => {
  const since = new Date(now.getTime() - MESSAGE_WINDOW_MS)
  await tx.delete(confirmationMessages).where(lte(confirmationMessages.at, since))
  const rows = await tx.execute(sql`
    DELETE FROM subscriber_confirmations WHERE id IN (SELECT id FROM subscriber_confirmations
      WHERE expires_at <= ${now.toISOString()}::timestamptz LIMIT ${FORGET_LIMIT})
    RETURNING id`)
  return rows.length
}

export type UnconfirmedSubscriber = Pick<
  SubscriberRow,
  'id' | 'organizationId' | 'version' | 'type' | 'statusPageId'
>

/** Deletes subscribers that signed up, never confirmed, and have no pending confirmation. */
export const removeUnconfirmedSubscribers = ({
  tx,
  now,
}: SystemScope): Promise<UnconfirmedSubscriber[]> => {
  const before = new Date(now.getTime() - UNCONFIRMED_RETENTION_MS).toISOString()
  return tx.execute<UnconfirmedSubscriber>(sql`
    DELETE FROM subscribers WHERE id IN (SELECT s.id FROM subscribers s
      WHERE s.status = 'unconfirmed' AND s.source = 'self_signup'
        AND s.created_at < ${before}::timestamptz
        AND NOT EXISTS (SELECT FROM subscriber_confirmations c
          WHERE c.organization_id = s.organization_id AND c.subscriber_id = s.id)
      LIMIT ${FORGET_LIMIT}) AND status = 'unconfirmed'
    RETURNING id, organization_id AS "organizationId", version, type,
      status_page_id AS "statusPageId"`)
}

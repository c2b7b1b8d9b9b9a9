/**
 * Key rotation for the secrets of destinations, which are copies of what core encrypted for
 * subscribers.
 */
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer, SealPurpose } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, notLike, or } from 'drizzle-orm'
import { destinations } from '../tables.ts'

interface Resources {
  database: Database
  sealer: Sealer
}

const { id, organizationId, subscriberId } = destinations
const { webhookSecret, previousWebhookSecret, manageToken } = destinations
const columns = [webhookSecret, previousWebhookSecret, manageToken]
const place = { table: destinations, id, columns }

export const encryptedDestinations = ({ database, sealer }: Resources): EncryptedSource => ({
  name: 'destinations',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const stale = or(...columns.map((column) => notLike(column, `${sealer.prefix}%`)))
      const rows = await tx
        .select({
          id,
          organizationId,
          subscriberId,
          webhookSecret,
          previousWebhookSecret,
          manageToken,
        })
        .from(destinations)
        .where(and(stale, after === null ? undefined : gt(id, after)))
        .orderBy(id)
        .limit(limit)
      return rows.map((row) => ({
        id: row.id,
        texts: [
          ...textsOf(row, row.webhookSecret, 'webhook'),
          ...textsOf(row, row.previousWebhookSecret, 'webhook'),
          ...textsOf(row, row.manageToken, 'mail-token'),
        ],
      }))
    }),
  replace: (change) => asWorker(database, (systemScope) => replaceText(systemScope, place, change)),
})

/** Encrypted texts of one column; only subscribers have any. */
const textsOf = (
  { organizationId, subscriberId }: { organizationId: string; subscriberId: string | null },
  sealed: string | null,
  purpose: SealPurpose,
) =>
  sealed === null
    ? []
    : [{ sealed, context: { organizationId, purpose, recordId: subscriberId ?? '' } }]

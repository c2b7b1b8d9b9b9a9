/** Encrypted secrets of subscribers and pending confirmations, for key rotation. */
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, notLike, or } from 'drizzle-orm'
import { subscriberConfirmations as questions, subscribers } from '../tables.ts'
import { manageTokenEncryptionContext, webhookEncryptionContext } from './secrets.ts'

interface Deps {
  database: Database
  sealer: Sealer
}

const { id, organizationId, webhookSecret, previousWebhookSecret, manageToken } = subscribers
const columns = [webhookSecret, previousWebhookSecret, manageToken]

export const encryptedSubscribers = ({ database, sealer }: Deps): EncryptedSource => ({
  name: 'subscribers',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const stale = or(...columns.map((column) => notLike(column, `${sealer.prefix}%`)))
      const rows = await tx
        .select({ id, organizationId, webhookSecret, previousWebhookSecret, manageToken })
        .from(subscribers)
        .where(and(stale, after === null ? undefined : gt(id, after)))
        .orderBy(id)
        .limit(limit)
      return rows.map((row) => ({
        id: row.id,
        texts: [
          ...[row.webhookSecret, row.previousWebhookSecret].flatMap((sealed) =>
            sealed === null ? [] : [{ sealed, context: webhookEncryptionContext(row) }],
          ),
          { sealed: row.manageToken, context: manageTokenEncryptionContext(row) },
        ],
      }))
    }),
  replace: (change) =>
    asWorker(database, (systemScope) =>
      replaceText(systemScope, { table: subscribers, id, columns }, change),
    ),
})

/** Secrets of pending confirmations, which become the subscriber's on confirmation. */
export const encryptedConfirmations = ({ database, sealer }: Deps): EncryptedSource => ({
  name: 'subscriber-questions',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const rows = await tx
        .select({
          id: questions.id,
          owner: { organizationId: questions.organizationId, id: questions.subscriberId },
          sealed: questions.webhookSecret,
        })
        .from(questions)
        .where(
          and(
            notLike(questions.webhookSecret, `${sealer.prefix}%`),
            after === null ? undefined : gt(questions.id, after),
          ),
        )
        .orderBy(questions.id)
        .limit(limit)
      return rows.map(({ id, owner, sealed }) => ({
        id,
        texts: sealed === null ? [] : [{ sealed, context: webhookEncryptionContext(owner) }],
      }))
    }),
  replace: (change) =>
    asWorker(database, (systemScope) => {
      const target = { table: questions, id: questions.id, columns: [questions.webhookSecret] }
      return replaceText(systemScope, target, change)
    }),
})

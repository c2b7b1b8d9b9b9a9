/** Credentials and webhook secrets of Git sync, for key rotation. */
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, notLike, or } from 'drizzle-orm'
import { gitSyncs } from '../tables.ts'
import { credentialContext, secretContext } from './secrets.ts'

const { id, organizationId, credential, webhookSecret, previousWebhookSecret } = gitSyncs
const columns = [credential, webhookSecret, previousWebhookSecret]
const place = { table: gitSyncs, id, columns }

export const encryptedGitSyncs = (deps: {
  database: Database
  sealer: Sealer
}): EncryptedSource => ({
  name: 'git-syncs',
  list: (after, limit) =>
    asWorker(deps.database, async ({ tx }) => {
      const isStale = or(...columns.map((column) => notLike(column, `${deps.sealer.prefix}%`)))
      const rows = await tx
        .select({ id, organizationId, credential, webhookSecret, previousWebhookSecret })
        .from(gitSyncs)
        .where(and(isStale, after === null ? undefined : gt(id, after)))
        .orderBy(id)
        .limit(limit)
      return rows.map((row) => ({
        id: row.id,
        texts: [
          ...textsOf([row.credential], credentialContext(row)),
          ...textsOf([row.webhookSecret, row.previousWebhookSecret], secretContext(row)),
        ],
      }))
    }),
  replace: (change) =>
    asWorker(deps.database, (systemScope) => replaceText(systemScope, place, change)),
})

const textsOf = (sealed: (string | null)[], context: ReturnType<typeof secretContext>) =>
  sealed.flatMap((text) => (text === null ? [] : [{ sealed: text, context }]))

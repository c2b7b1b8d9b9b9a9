/**
 * Second factors for key rotation. Set-ups are not included, because they expire before a rotation
 * ends.
 */
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, notLike } from 'drizzle-orm'
import { twoFactor } from '../../tables.ts'
import { sealContext } from './code.ts'

interface Resources {
  database: Database
  sealer: Sealer
}

const { userId, sealedSecret } = twoFactor
const target = { table: twoFactor, id: userId, columns: [sealedSecret] }

export const sealedTotpSecrets = ({ database, sealer }: Resources): EncryptedSource => ({
  name: 'two-factor',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const rows = await tx
        .select({ id: userId, sealed: sealedSecret })
        .from(twoFactor)
        .where(
          and(
            notLike(sealedSecret, `${sealer.prefix}%`),
            after === null ? undefined : gt(userId, after),
          ),
        )
        .orderBy(userId)
        .limit(limit)
      return rows.map(({ id, sealed }) => ({ id, texts: [{ sealed, context: sealContext(id) }] }))
    }),
  replace: (change) =>
    asWorker(database, (systemScope) => replaceText(systemScope, target, change)),
})

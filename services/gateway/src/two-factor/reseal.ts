/** Second factors under the previous key are sealed anew; set-ups die before anybody could. */
import { crossDue, type Database, type DueWork } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import { type ResealOptions, resealWork } from '@status-page/service'
import { and, eq, gt, notLike } from 'drizzle-orm'
import { twoFactor } from '../tables.ts'
import { sealContext } from './code.ts'

interface Resources extends Pick<ResealOptions, 'logger'> {
  database: Database
  sealer: Sealer
}

export const resealFactors = ({ database, sealer, logger }: Resources): DueWork => {
  const { userId, sealedSecret } = twoFactor
  return resealWork({
    ...{ name: 'two-factor', sealer, logger },
    list: (after, limit) =>
      crossDue(database, async ({ tx }) => {
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
        return rows.map((row) => ({ ...row, context: sealContext(row.id) }))
      }),
    replace: ({ id, sealed }, sealedAnew) =>
      crossDue(database, async ({ tx }) => {
        await tx
          .update(twoFactor)
          .set({ sealedSecret: sealedAnew })
          .where(and(eq(userId, id), eq(sealedSecret, sealed)))
      }),
  })
}

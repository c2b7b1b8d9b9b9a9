/** Values of variables, for key rotation. */
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, notLike } from 'drizzle-orm'
import { variables } from '../tables.ts'
import { variableContext } from './rules.ts'

const { id, organizationId, sealedValue } = variables
const place = { table: variables, id, columns: [sealedValue] }

export const encryptedVariables = (deps: {
  database: Database
  sealer: Sealer
}): EncryptedSource => ({
  name: 'variables',
  list: (after, limit) =>
    asWorker(deps.database, async ({ tx }) => {
      const isStale = notLike(sealedValue, `${deps.sealer.prefix}%`)
      const rows = await tx
        .select({ id, organizationId, sealedValue })
        .from(variables)
        .where(and(isStale, after === null ? undefined : gt(id, after)))
        .orderBy(id)
        .limit(limit)
      return rows.map((row) => ({
        id: row.id,
        texts: [{ sealed: row.sealedValue, context: variableContext(row) }],
      }))
    }),
  replace: (change) =>
    asWorker(deps.database, (systemScope) => replaceText(systemScope, place, change)),
})

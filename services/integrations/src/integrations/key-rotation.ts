/** Key rotation of the credentials of integrations. */
import { integrationSecrets } from '@status-page/contracts'
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, sql } from 'drizzle-orm'
import { integrations } from '../tables.ts'
import { sealedTexts } from './secrets.ts'

interface Resources {
  database: Database
  sealer: Sealer
}

const { id, organizationId, type, config } = integrations
const place = { table: integrations, id, columns: [config] }

export const sealedIntegrationSecrets = ({ database, sealer }: Resources): EncryptedSource => ({
  name: 'integrations',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const rows = await tx
        .select({ id, organizationId, type, config })
        .from(integrations)
        .where(and(isStale(sealer), after === null ? undefined : gt(id, after)))
        .orderBy(id)
        .limit(limit)
      return rows.map((row) => ({ id: row.id, texts: sealedTexts(row) }))
    }),
  replace: (change) => asWorker(database, (systemScope) => replaceText(systemScope, place, change)),
})

/** Secret fields of all kinds; no kind has a public field of the same name. */
const fields = [...new Set(Object.values(integrationSecrets).flat())]

const isStale = ({ prefix }: Sealer) => sql`EXISTS (
  SELECT FROM unnest(${sql.param(fields)}::text[]) field
  WHERE ${config} ->> field NOT LIKE ${`${prefix}%`})`

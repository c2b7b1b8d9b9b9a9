/** Request headers of checks for key rotation; a component may have several encrypted ones. */
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, sql } from 'drizzle-orm'
import { components, type StoredHeader } from '../tables.ts'
import { headerEncryptionContext, headersOf } from './request-headers.ts'

interface Deps {
  database: Database
  sealer: Sealer
}

const { id, organizationId, endpoint } = components
const target = { table: components, id, columns: [endpoint] }

export const encryptedHeaders = ({ database, sealer }: Deps): EncryptedSource => ({
  name: 'component-headers',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const rows = await tx
        .select({ id, organizationId, endpoint })
        .from(components)
        .where(and(isStale(sealer), after === null ? undefined : gt(id, after)))
        .orderBy(id)
        .limit(limit)
      return rows.map((row) => ({ id: row.id, texts: textsOf(row, headersOf(row.endpoint)) }))
    }),
  replace: (change) =>
    asWorker(database, (systemScope) => replaceText(systemScope, target, change)),
})

const isStale = ({ prefix }: Sealer) => sql`EXISTS (
  SELECT FROM json_array_elements(${endpoint} -> 'headers') header
  WHERE header ->> 'sealedValue' NOT LIKE ${`${prefix}%`})`

const textsOf = (
  component: { id: string; organizationId: string },
  headers: readonly StoredHeader[],
) =>
  headers.flatMap(({ name, sealedValue: sealed }) =>
    sealed === null
      ? []
      : [
          {
            sealed,
            context: headerEncryptionContext(component.organizationId, component.id, name),
          },
        ],
  )

/** Key rotation of request headers; a target may have several encrypted ones. */
import type { ProbeSettings } from '@status-page/contracts'
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, sql } from 'drizzle-orm'
import { headerSealContext } from '../probes/http.ts'
import { targets } from '../tables.ts'

interface Resources {
  database: Database
  sealer: Sealer
}

const { componentId, organizationId, probe } = targets
const place = { table: targets, id: componentId, columns: [probe] }

export const sealedTargetHeaders = ({ database, sealer }: Resources): EncryptedSource => ({
  name: 'target-headers',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const rows = await tx
        .select({ componentId, organizationId, probe })
        .from(targets)
        .where(and(isStale(sealer), after === null ? undefined : gt(componentId, after)))
        .orderBy(componentId)
        .limit(limit)
      return rows.map((row) => ({
        id: row.componentId,
        texts: headersOf(row.probe).flatMap(({ name, sealedValue: sealed }) =>
          sealed === null ? [] : [{ sealed, context: headerSealContext(row, name) }],
        ),
      }))
    }),
  replace: (change) => asWorker(database, (systemScope) => replaceText(systemScope, place, change)),
})

const headersOf = (settings: ProbeSettings) => ('headers' in settings ? settings.headers : [])

const isStale = ({ prefix }: Sealer) => sql`EXISTS (
  SELECT FROM jsonb_array_elements(${probe} -> 'headers') header
  WHERE header ->> 'sealedValue' NOT LIKE ${`${prefix}%`})`

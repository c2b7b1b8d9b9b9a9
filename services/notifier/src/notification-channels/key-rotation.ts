/** Key rotation for the secrets of channels. */
import { asWorker, type Database, replaceText } from '@status-page/postgres'
import type { Sealer } from '@status-page/secrets'
import type { EncryptedSource } from '@status-page/service'
import { and, gt, sql } from 'drizzle-orm'
import { channels } from '../channels/index.ts'
import { encryptedTexts } from '../channels/secrets.ts'
import { notificationChannels } from '../tables.ts'

interface Resources {
  database: Database
  sealer: Sealer
}

const { id, organizationId, type, config } = notificationChannels
const place = { table: notificationChannels, id, columns: [config] }

export const encryptedChannels = ({ database, sealer }: Resources): EncryptedSource => ({
  name: 'notification-channels',
  list: (after, limit) =>
    asWorker(database, async ({ tx }) => {
      const rows = await tx
        .select({ id, organizationId, type, config })
        .from(notificationChannels)
        .where(and(isStale(sealer), after === null ? undefined : gt(id, after)))
        .orderBy(id)
        .limit(limit)
      return rows.map((row) => ({ id: row.id, texts: encryptedTexts(row) }))
    }),
  replace: (change) => asWorker(database, (systemScope) => replaceText(systemScope, place, change)),
})

/** Secret paths of all channel types; no type uses one of them for plain data. */
const paths = [...new Set(Object.values(channels).flatMap(({ secrets }) => secrets))]

const isStale = ({ prefix }: Sealer) => sql`EXISTS (
  SELECT FROM unnest(${sql.param(paths)}::text[]) path,
    jsonb_path_query(${config}, ('$.' || path)::jsonpath) secret
  WHERE secret #>> '{}' NOT LIKE ${`${prefix}%`})`

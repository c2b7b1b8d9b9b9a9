/** Key rotation for the secrets of channels. */
import { encryptedSource } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { channels } from '../channels/index.ts'
import { encryptedTexts } from '../channels/secrets.ts'
import { notificationChannels } from '../tables.ts'

const { id, organizationId, type, config } = notificationChannels

/** Secret paths of all channel types; no type uses one of them for plain data. */
const paths = [...new Set(Object.values(channels).flatMap(({ secrets }) => secrets))]

export const encryptedChannels = encryptedSource({
  name: 'notification-channels',
  table: notificationChannels,
  id,
  columns: [config],
  selected: { id, organizationId, type, config },
  isStale: (prefix) => sql`EXISTS (
    SELECT FROM unnest(${sql.param(paths)}::text[]) path,
      jsonb_path_query(${config}, ('$.' || path)::jsonpath) secret
    WHERE secret #>> '{}' NOT LIKE ${`${prefix}%`})`,
  textsOf: encryptedTexts,
})

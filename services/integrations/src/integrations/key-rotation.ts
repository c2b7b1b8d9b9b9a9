/** Key rotation of the credentials of integrations. */
import { integrationSecrets } from '@status-page/contracts'
import { encryptedSource } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { integrations } from '../tables.ts'
import { sealedTexts } from './secrets.ts'

const { id, organizationId, type, config } = integrations

/** Secret fields of all kinds; no kind has a public field of the same name. */
const fields = [...new Set(Object.values(integrationSecrets).flat())]

export const sealedIntegrationSecrets = encryptedSource({
  name: 'integrations',
  table: integrations,
  id,
  columns: [config],
  selected: { id, organizationId, type, config },
  isStale: (prefix) => sql`EXISTS (
    SELECT FROM unnest(${sql.param(fields)}::text[]) field
    WHERE ${config} ->> field NOT LIKE ${`${prefix}%`})`,
  textsOf: sealedTexts,
})

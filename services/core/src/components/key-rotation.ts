/** Request headers of checks for key rotation; a component may have several encrypted ones. */
import { encryptedSource } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { components } from '../tables.ts'
import { headerEncryptionContext, headersOf } from './request-headers.ts'

const { id, organizationId, endpoint } = components

export const encryptedHeaders = encryptedSource({
  name: 'component-headers',
  table: components,
  id,
  columns: [endpoint],
  selected: { id, organizationId, endpoint },
  isStale: (prefix) => sql`EXISTS (
    SELECT FROM json_array_elements(${endpoint} -> 'headers') header
    WHERE header ->> 'sealedValue' NOT LIKE ${`${prefix}%`})`,
  textsOf: (row) =>
    headersOf(row.endpoint).map(({ name, sealedValue: sealed }) => ({
      sealed,
      context: headerEncryptionContext(row.organizationId, row.id, name),
    })),
})

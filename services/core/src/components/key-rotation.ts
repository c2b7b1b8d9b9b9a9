/** Request headers of checks for key rotation; a component may have several encrypted ones. */
import { encryptedSource } from '@status-page/postgres'
import { headerEncryptionContext } from '@status-page/secrets'
import { sql } from 'drizzle-orm'
import { components } from '../tables.ts'
import { headersOf } from './request-headers.ts'

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
      context: headerEncryptionContext(
        { organizationId: row.organizationId, componentId: row.id },
        name,
      ),
    })),
})

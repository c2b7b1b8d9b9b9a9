/** Key rotation of request headers; a target may have several encrypted ones. */

import { encryptedSource } from '@status-page/postgres'
import { headerEncryptionContext } from '@status-page/secrets'
import { sql } from 'drizzle-orm'
import { targets } from '../tables.ts'

const { componentId, organizationId, probe } = targets

export const sealedTargetHeaders = encryptedSource({
  name: 'target-headers',
  table: targets,
  id: componentId,
  columns: [probe],
  selected: { componentId, organizationId, probe },
  isStale: (prefix) => sql`EXISTS (
    SELECT FROM jsonb_array_elements(${probe} -> 'headers') header
    WHERE header ->> 'sealedValue' NOT LIKE ${`${prefix}%`})`,
  textsOf: (row) =>
    ('headers' in row.probe ? row.probe.headers : []).map(({ name, sealedValue: sealed }) => ({
      sealed,
      context: headerEncryptionContext(row, name),
    })),
})

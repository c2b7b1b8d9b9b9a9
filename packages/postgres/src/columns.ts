/** Columns that every tenant table has, for `tables.ts`, and their ids. */

import { databaseSchemaOf, type ServiceName } from '@status-page/contracts'
import { customType, pgSchema, timestamp, uuid } from 'drizzle-orm/pg-core'
import { v7 } from 'uuid'

/** UUIDv7: sorts by creation time; knowing one grants no access. */
export const newId = (): string => v7()

/** Schema of the service, explicit in each statement. */
export const pgSchemaFor = (service: ServiceName) => pgSchema(databaseSchemaOf(service))

export const idColumn = () => uuid('id').primaryKey().$defaultFn(newId)

export const organizationIdColumn = () => uuid('organization_id').notNull()

/**
 * Timestamp in milliseconds, as in JavaScript and the API, so that a cursor from a Date matches its
 * own row.
 */
export const timestamptz = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const bytea = customType<{ data: Buffer; driverData: Buffer }>({ dataType: () => 'bytea' })

export const timestampColumns = () => ({
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

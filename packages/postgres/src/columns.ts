/** Columns that every tenant table has, for `tables.ts`, and their ids. */

import { type ServiceName, schemaOf } from '@status-page/contracts'
import { pgSchema, timestamp, uuid } from 'drizzle-orm/pg-core'
import { v7 } from 'uuid'

/** UUIDv7: sorts by creation time; knowing one grants no access. */
export const newId = (): string => v7()

/** Schema of the service, explicit in each statement. */
export const schemaFor = (service: ServiceName) => pgSchema(schemaOf(service))

export const id = () => uuid('id').primaryKey().$defaultFn(newId)

export const organizationId = () => uuid('organization_id').notNull()

/**
 * Timestamp in milliseconds, as in JavaScript and the API, so that a cursor from a Date matches its
 * own row.
 */
export const timestamptz = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const timestamps = () => ({
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

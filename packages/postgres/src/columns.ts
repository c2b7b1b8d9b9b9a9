/** The columns that every tenant table has, for `tables.ts`, and the ids that go into them. */

import { type ServiceName, schemaOf } from '@status-page/contracts'
import { pgSchema, timestamp, uuid } from 'drizzle-orm/pg-core'
import { v7 } from 'uuid'

/** UUIDv7: sorts by time of creation, grants nothing. */
export const newId = (): string => v7()

/** The service's schema, spelled out in each statement. */
export const schemaFor = (service: ServiceName) => pgSchema(schemaOf(service))

export const id = () => uuid('id').primaryKey().$defaultFn(newId)

export const organizationId = () => uuid('organization_id').notNull()

/** Milliseconds, as in JavaScript and in the API: a cursor made of a Date finds its own row again. */
export const timestamptz = <Name extends string>(name: Name) =>
  timestamp(name, { withTimezone: true, precision: 3, mode: 'date' })

export const timestamps = () => ({
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

/**
 * Postgres for services: connections, migrations, and the only functions that open a transaction.
 */

export * from './applied-batches.ts'
export * from './columns.ts'
export * from './connect.ts'
export { isConnectionFault, isConnectionLost } from './connection-fault.ts'
export { preparedQuery } from './driver.ts'
export * from './due-items.ts'
export { encryptedSource } from './encrypted-source.ts'
export * from './erasure.ts'
export * from './failure.ts'
export * from './fault.ts'
export * from './idempotency.ts'
export * from './inbox.ts'
export * from './jobs.ts'
export * from './migrate.ts'
export type { OutboxRow } from './outbox.ts'
export { positionIn } from './position-in.ts'
export * from './redaction.ts'

export { resourceTable, tenantTable } from './resource-table.ts'
export * from './retention.ts'
export { DEFAULT_ROLE_PREFIX, type Roles, rolesOf } from './role-names.ts'
export { read, type Scope } from './scope.ts'
export { settleEach } from './settle-each.ts'
export * from './system-scope.ts'
export { transact, write } from './transaction.ts'

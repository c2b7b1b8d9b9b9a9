/**
 * Postgres for services: connections, migrations, and the only functions that open a transaction.
 */

export * from './columns.ts'
export * from './connect.ts'
export { isConnectionFault, isConnectionLost } from './connection-fault.ts'
export * from './due-items.ts'
export * from './erasure.ts'
export * from './failure.ts'
export * from './fault.ts'
export * from './idempotency.ts'
export * from './inbox.ts'
export * from './jobs.ts'
export * from './migrate.ts'
export type { OutboxRow } from './outbox.ts'
export { preparedQuery } from './prepared-query.ts'
export * from './redaction.ts'
export * from './replace-text.ts'
export * from './retention.ts'
export { DEFAULT_ROLE_PREFIX, type Roles, rolesOf } from './role-names.ts'
export { read, type Scope, type Tx } from './scope.ts'
export * from './system-scope.ts'
export { type TransactionContext as TransactionBy, transact } from './transaction.ts'

/**
 * Postgres for services: connections, migrations, and the only functions that open a transaction.
 */

export * from './applied-batches.ts'
export { chunksOf } from './chunks.ts'
export * from './columns.ts'
export * from './connect.ts'
export { isConnectionFault, isConnectionLost } from './connection-fault.ts'
export { databaseAddressesOf, serviceUrl } from './database-url.ts'
export { preparedQuery, runPrepared } from './driver.ts'
export * from './due-items.ts'
export { encryptedSource } from './encrypted-source.ts'
export * from './erasure.ts'
export * from './failure.ts'
export * from './fault.ts'
export { containsFilter, equalsFilter, isAnyOf } from './filters.ts'
export * from './idempotency.ts'
export * from './inbox.ts'
export { installationMark, readInstallationId } from './installation.ts'
export * from './jobs.ts'
export * from './migrate.ts'
export type { OutboxRow } from './outbox.ts'
export { positionIn } from './position-in.ts'
export * from './redaction.ts'
export { resourceTable, tenantTable } from './resource-table.ts'
export * from './retention.ts'
export { DEFAULT_ROLE_PREFIX, type Roles, rolesOf } from './role-names.ts'
export * from './schema-state.ts'
export {
  type Loaded,
  type PipelinedScope,
  read,
  readOnly,
  readOnlyAtOnce,
  readOnlyPipelined,
  type Scope,
} from './scope.ts'
export * from './server-check.ts'
export { settleEach } from './settle-each.ts'
export * from './system-scope.ts'
export { transact, write } from './transaction.ts'

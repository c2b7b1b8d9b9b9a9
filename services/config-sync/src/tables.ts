/** Drizzle model of config-sync's tables; the migrations define the constraints. */

import type {
  Actor,
  ConfigSource,
  GitAuthMethod,
  GitProvider,
  GitSyncReason,
  GitSyncStatus,
  GitSyncTrigger,
} from '@status-page/contracts'
import { idColumn, organizationIdColumn, pgSchemaFor, timestamptz } from '@status-page/postgres'
import { boolean, integer, json, jsonb, text, uuid } from 'drizzle-orm/pg-core'
import type { ApplyState, ApplyWork } from './configuration/journal.ts'

const configSync = pgSchemaFor('config-sync')

export const organizations = configSync.table('organizations', {
  organizationId: organizationIdColumn().primaryKey(),
  slug: text('slug').notNull(),
  version: integer('version').notNull(),
})

export const variables = configSync.table('variables', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  name: text('name').notNull(),
  sealedValue: text('sealed_value').notNull(),
  createdAt: timestamptz('created_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})
export type VariableRow = typeof variables.$inferSelect

export const configurationVersions = configSync.table('configuration_versions', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  name: text('name').notNull(),
  configVersion: text('config_version').notNull(),
  document: text('document').notNull(),
  source: text('source').$type<ConfigSource>().notNull(),
  commit: text('commit'),
  rollbackOf: uuid('rollback_of'),
  appliedBy: uuid('applied_by'),
  createdCount: integer('created_count').notNull(),
  updatedCount: integer('updated_count').notNull(),
  deletedCount: integer('deleted_count').notNull(),
  createdAt: timestamptz('created_at').notNull(),
})
export type VersionRow = typeof configurationVersions.$inferSelect

export const applies = configSync.table('applies', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  state: text('state').$type<ApplyState>().notNull(),
  owner: uuid('owner').notNull(),
  leaseUntil: timestamptz('lease_until').notNull(),
  actor: jsonb('actor').$type<Actor>().notNull(),
  work: json('work').$type<ApplyWork>(),
  error: text('error'),
  createdAt: timestamptz('created_at').notNull(),
  finishedAt: timestamptz('finished_at'),
})
export type ApplyRow = typeof applies.$inferSelect

export interface Proposal {
  branch: string
  url: string | null
  /** Object id of the proposed document; null after a failed proposal. */
  blob: string | null
  proposedAt: string | null
  error: string | null
  /**
   * Commit whose document a sync has applied over the proposed changes; the branch is then their
   * only copy.
   */
  revertedBy?: string
}

export const gitSyncs = configSync.table('git_syncs', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  hookId: text('hook_id').notNull(),
  provider: text('provider').$type<GitProvider>().notNull(),
  repositoryUrl: text('repository_url').notNull(),
  branch: text('branch').notNull(),
  configPath: text('config_path').notNull(),
  authMethod: text('auth_method').$type<GitAuthMethod>().notNull(),
  autoSync: boolean('auto_sync').notNull(),
  writeBack: boolean('write_back').notNull(),
  credential: text('credential'),
  webhookSecret: text('webhook_secret').notNull(),
  previousWebhookSecret: text('previous_webhook_secret'),
  previousSecretUntil: timestamptz('previous_secret_until'),
  lastSyncAt: timestamptz('last_sync_at'),
  lastSyncStatus: text('last_sync_status').$type<GitSyncStatus>(),
  lastCommit: text('last_commit'),
  appliedBlob: text('applied_blob'),
  nextPollAt: timestamptz('next_poll_at'),
  writeBackDueAt: timestamptz('write_back_due_at'),
  proposal: jsonb('proposal').$type<Proposal>(),
  createdAt: timestamptz('created_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})
export type GitSyncRow = typeof gitSyncs.$inferSelect

export const gitSyncRuns = configSync.table('git_sync_runs', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  gitSyncId: uuid('git_sync_id').notNull(),
  status: text('status').$type<GitSyncStatus>().notNull(),
  trigger: text('trigger').$type<GitSyncTrigger>().notNull(),
  commit: text('commit'),
  configVersion: text('config_version'),
  createdCount: integer('created_count').notNull().default(0),
  updatedCount: integer('updated_count').notNull().default(0),
  deletedCount: integer('deleted_count').notNull().default(0),
  reason: text('reason').$type<GitSyncReason>(),
  error: text('error'),
  owner: uuid('owner'),
  leaseUntil: timestamptz('lease_until'),
  attempts: integer('attempts').notNull().default(0),
  createdAt: timestamptz('created_at').notNull(),
  finishedAt: timestamptz('finished_at'),
})
export type GitSyncRunRow = typeof gitSyncRuns.$inferSelect

export const gitHookReceipts = configSync.table('git_hook_receipts', {
  organizationId: organizationIdColumn(),
  key: text('key').notNull(),
  at: timestamptz('at').notNull(),
})

/** Config-sync's whole model as drizzle sees it; the migrations say what the database holds to. */

import type { Actor, ConfigSource } from '@status-page/contracts'
import { id, organizationId, schemaFor, timestamptz } from '@status-page/postgres'
import { integer, jsonb, text, uuid } from 'drizzle-orm/pg-core'
import type { Work } from './configuration/journal.ts'

const configSync = schemaFor('config-sync')

export const organizations = configSync.table('organizations', {
  organizationId: organizationId().primaryKey(),
  slug: text('slug').notNull(),
  version: integer('version').notNull(),
})

export const variables = configSync.table('variables', {
  organizationId: organizationId(),
  id: id(),
  name: text('name').notNull(),
  sealedValue: text('sealed_value').notNull(),
  createdAt: timestamptz('created_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})
export type VariableRow = typeof variables.$inferSelect

export const configurationVersions = configSync.table('configuration_versions', {
  organizationId: organizationId(),
  id: id(),
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

/** An apply is open until it is done, undone or abandoned. */
export const applyStates = [
  'planning',
  'planned',
  'integrations_saved',
  'components_changed',
  'undoing',
  'done',
  'undone',
  'abandoned',
] as const
export type ApplyState = (typeof applyStates)[number]

export const applies = configSync.table('applies', {
  organizationId: organizationId(),
  id: id(),
  state: text('state').$type<ApplyState>().notNull(),
  owner: uuid('owner').notNull(),
  leaseUntil: timestamptz('lease_until').notNull(),
  actor: jsonb('actor').$type<Actor>().notNull(),
  work: jsonb('work').$type<Work>(),
  error: text('error'),
  createdAt: timestamptz('created_at').notNull(),
  finishedAt: timestamptz('finished_at'),
})
export type ApplyRow = typeof applies.$inferSelect

/** The gateway's whole model; the migrations make it. */
import { id, organizationId, schemaFor, timestamps, timestamptz } from '@status-page/postgres'
import { integer, jsonb, text, uuid } from 'drizzle-orm/pg-core'

const gateway = schemaFor('gateway')

/** Accounts belong to no tenant: a person may be a member of several. */
export const users = gateway.table('users', {
  id: id(),
  email: text('email').notNull(),
  name: text('name').notNull(),
  passwordHash: text('password_hash'),
  ...timestamps(),
})

export const organizations = gateway.table('organizations', {
  id: id(),
  name: text('name').notNull(),
  slug: text('slug').notNull(),
  version: integer('version').notNull().default(1),
  ...timestamps(),
})

export const memberships = gateway.table('memberships', {
  organizationId: organizationId(),
  id: id(),
  userId: uuid('user_id').notNull(),
  role: text('role').notNull(),
  version: integer('version').notNull().default(1),
  ...timestamps(),
})

export const sessions = gateway.table('sessions', {
  organizationId: organizationId(),
  id: id(),
  userId: uuid('user_id').notNull(),
  tokenHash: text('token_hash').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  lastSeenAt: timestamptz('last_seen_at').notNull().defaultNow(),
})

export const apiKeys = gateway.table('api_keys', {
  organizationId: organizationId(),
  id: id(),
  name: text('name').notNull(),
  tokenHash: text('token_hash').notNull(),
  suffix: text('suffix').notNull(),
  permissions: text('permissions').array().notNull(),
  expiresAt: timestamptz('expires_at'),
  lastUsedAt: timestamptz('last_used_at'),
  createdBy: uuid('created_by'),
  disabledAt: timestamptz('disabled_at'),
  ...timestamps(),
})

export const auditLog = gateway.table('audit_log', {
  organizationId: organizationId(),
  id: id(),
  action: text('action').notNull(),
  entityType: text('entity_type').notNull(),
  entityId: text('entity_id').notNull(),
  entityName: text('entity_name'),
  actorType: text('actor_type').notNull(),
  userId: uuid('user_id'),
  apiKeyId: uuid('api_key_id'),
  changes: jsonb('changes').notNull(),
  ipAddress: text('ip_address'),
  userAgent: text('user_agent'),
  requestId: text('request_id'),
  occurredAt: timestamptz('occurred_at').notNull(),
})

export const loginFailures = gateway.table('login_failures', {
  key: text('key').primaryKey(),
  failedAt: timestamptz('failed_at').array().notNull(),
  blocks: integer('blocks').notNull(),
  blockedUntil: timestamptz('blocked_until'),
})

/** Tables of the gateway as its migrations create them. */
import { defaultNotificationLimits, type NotificationLimits } from '@status-page/contracts'
import {
  idColumn,
  organizationIdColumn,
  pgSchemaFor,
  timestampColumns,
  timestamptz,
} from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { bigint, boolean, integer, jsonb, text, uuid } from 'drizzle-orm/pg-core'

const gateway = pgSchemaFor('gateway')

/** Accounts belong to no organization; a user may be a member of several. */
export const users = gateway.table('users', {
  id: idColumn(),
  email: text('email').notNull(),
  name: text('name').notNull(),
  passwordHash: text('password_hash'),
  emailVerifiedAt: timestamptz('email_verified_at'),
  lastLoginAt: timestamptz('last_login_at'),
  ...timestampColumns(),
})

export const organizations = gateway.table('organizations', {
  id: idColumn(),
  name: text('name').notNull(),
  slug: text('slug').notNull(),
  require2fa: boolean('require_2fa').notNull().default(false),
  ssoEnforced: boolean('sso_enforced').notNull().default(false),
  allowedEmailDomains: text('allowed_email_domains').array().notNull().default([]),
  notificationLimits: jsonb('notification_limits')
    .$type<NotificationLimits>()
    .notNull()
    .default(defaultNotificationLimits),
  version: integer('version').notNull().default(1),
  deletionRequestedAt: timestamptz('deletion_requested_at'),
  deletionRequestedBy: uuid('deletion_requested_by'),
  deletionDueAt: timestamptz('deletion_due_at'),
  /** Start of the deletion: every request is rejected and it cannot be withdrawn any more. */
  deletionStartedAt: timestamptz('deletion_started_at'),
  ...timestampColumns(),
})

/** Erasure receipts of the services; retained after the organization is deleted. */
export const erasureReceipts = gateway.table('erasure_receipts', {
  organizationId: organizationIdColumn(),
  service: text('service').notNull(),
  deletedRows: bigint('deleted_rows', { mode: 'number' }).notNull(),
  completedAt: timestamptz('completed_at').notNull(),
})

/** Digests of the slugs of deleted organizations, which are never reused. */
export const retiredSlugs = gateway.table('retired_slugs', {
  slugDigest: text('slug_digest').primaryKey(),
})

export const memberships = gateway.table('memberships', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  userId: uuid('user_id').notNull(),
  role: text('role').notNull(),
  version: integer('version').notNull().default(1),
  ...timestampColumns(),
})

/** Custom roles; the built-in ones are constants of the contract. */
export const roles = gateway.table('roles', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  name: text('name').notNull(),
  description: text('description'),
  permissions: text('permissions').array().notNull(),
  ...timestampColumns(),
})

export const invitations = gateway.table('invitations', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  email: text('email').notNull(),
  role: text('role').notNull(),
  tokenHash: text('token_hash').notNull(),
  invitedBy: uuid('invited_by'),
  expiresAt: timestamptz('expires_at').notNull(),
  acceptedAt: timestamptz('accepted_at'),
  ...timestampColumns(),
})

export const sessions = gateway.table('sessions', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  userId: uuid('user_id').notNull(),
  tokenHash: text('token_hash').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  lastSeenAt: timestamptz('last_seen_at').notNull().defaultNow(),
  method: text('method').$type<'password' | 'sso'>().notNull().default('password'),
  ipAddress: text('ip_address'),
  userAgent: text('user_agent'),
  shouldRenew: boolean('should_renew').notNull().default(false),
  replacedUntil: timestamptz('replaced_until'),
})

export const apiKeys = gateway.table('api_keys', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  name: text('name').notNull(),
  tokenHash: text('token_hash').notNull(),
  suffix: text('suffix').notNull(),
  permissions: text('permissions').array().notNull(),
  expiresAt: timestamptz('expires_at'),
  lastUsedAt: timestamptz('last_used_at'),
  createdBy: uuid('created_by'),
  disabledAt: timestamptz('disabled_at'),
  ...timestampColumns(),
})

export const auditLog = gateway.table('audit_log', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
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

/** Last position of each organization in the event log. */
export const eventLogHeads = gateway.table('event_log_heads', {
  organizationId: organizationIdColumn(),
  position: bigint('position', { mode: 'number' }).notNull(),
  eventId: uuid('event_id').notNull(),
})

/** Events for programs; positions of an organization are consecutive. */
export const eventLog = gateway.table('event_log', {
  organizationId: organizationIdColumn(),
  position: bigint('position', { mode: 'number' }).notNull(),
  eventId: uuid('event_id').notNull(),
  kind: text('kind').notNull(),
  payload: text('payload').notNull(),
  loggedAt: timestamptz('logged_at').notNull().default(sql`clock_timestamp()`),
})

export const loginFailures = gateway.table('login_failures', {
  key: text('key').primaryKey(),
  failedAt: timestamptz('failed_at').array().notNull(),
  blocks: integer('blocks').notNull(),
  blockedUntil: timestamptz('blocked_until'),
})

/** Enabled second factors. */
export const twoFactor = gateway.table('two_factor', {
  userId: uuid('user_id').primaryKey(),
  sealedSecret: text('sealed_secret').notNull(),
  lastStep: bigint('last_step', { mode: 'number' }).notNull(),
  enabledAt: timestamptz('enabled_at').notNull().defaultNow(),
})

export const twoFactorSetups = gateway.table('two_factor_setups', {
  userId: uuid('user_id').primaryKey(),
  sealedSecret: text('sealed_secret').notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
})

export const backupCodes = gateway.table('backup_codes', {
  userId: uuid('user_id').notNull(),
  codeHash: text('code_hash').notNull(),
})

export const codeFailures = gateway.table('code_failures', {
  userId: uuid('user_id').primaryKey(),
  failedAt: timestamptz('failed_at').array().notNull(),
  warnedAt: timestamptz('warned_at'),
})

export const passwordResets = gateway.table('password_resets', {
  id: idColumn(),
  userId: uuid('user_id').notNull(),
  tokenHash: text('token_hash').notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
})

export const emailVerifications = gateway.table('email_verifications', {
  id: idColumn(),
  userId: uuid('user_id').notNull(),
  tokenHash: text('token_hash').notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
})

/** Nonce of the link for the first account; one row at most. */
export const setupNonces = gateway.table('setup_nonces', {
  isOnly: boolean('is_only').primaryKey().default(true),
  nonce: text('nonce').notNull(),
})

export const resetRequests = gateway.table('reset_requests', {
  key: text('key').primaryKey(),
  requestedAt: timestamptz('requested_at').array().notNull(),
})

export const domains = gateway.table('domains', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  domain: text('domain').notNull(),
  txtValue: text('txt_value').notNull(),
  verifiedAt: timestamptz('verified_at'),
  ...timestampColumns(),
})

export const samlProviders = gateway.table('saml_providers', {
  organizationId: organizationIdColumn(),
  isEnabled: boolean('is_enabled').notNull(),
  idpEntityId: text('idp_entity_id').notNull(),
  idpSsoUrl: text('idp_sso_url').notNull(),
  certificates: text('certificates').array().notNull(),
  defaultRole: text('default_role').notNull(),
  attributeMapping: jsonb('attribute_mapping').$type<{ email?: string; name?: string }>().notNull(),
  setByOwner: boolean('set_by_owner').notNull(),
  ...timestampColumns(),
})

export const samlRequests = gateway.table('saml_requests', {
  organizationId: organizationIdColumn(),
  id: text('id').notNull(),
  browserHash: text('browser_hash').notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
})

export const samlAssertions = gateway.table('saml_assertions', {
  organizationId: organizationIdColumn(),
  idHash: text('id_hash').notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
})

export const samlIdentities = gateway.table('saml_identities', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  idpEntityId: text('idp_entity_id').notNull(),
  nameId: text('name_id').notNull(),
  userId: uuid('user_id').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

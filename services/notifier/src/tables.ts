/** Tables of the notifier, as created by its migrations. */
import type {
  AnyChannelConfig,
  AttemptOutcome,
  ChannelType,
  Impact,
  Locale,
  NotificationLimits,
  SelectableChannelEvent,
  ServiceName,
  StatusPage,
  SubscriberStatusReason,
} from '@status-page/contracts'
import { bytea, pgSchemaFor, timestamptz } from '@status-page/postgres'
import { sql } from 'drizzle-orm'
import { boolean, date, integer, jsonb, text, timestamp, uuid } from 'drizzle-orm/pg-core'

const schema = pgSchemaFor('notifier')

/** Lowest UUID, less than that of any organization. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000'

export const organizations = schema.table('organizations', {
  organizationId: uuid('organization_id').notNull(),
  id: uuid('id').notNull(),
  name: text('name').notNull(),
  notificationLimits: jsonb('notification_limits').$type<NotificationLimits>(),
  version: integer('version').notNull(),
})

export const components = schema.table('components', {
  organizationId: uuid('organization_id').notNull(),
  id: uuid('id').notNull(),
  name: text('name').notNull(),
  isMuted: boolean('is_muted').notNull(),
  isDeleted: boolean('is_deleted').notNull().default(false),
  ancestorIds: uuid('ancestor_ids').array().notNull().default([]),
  hasDependencies: boolean('has_dependencies').notNull().default(false),
  version: integer('version').notNull(),
})

export const members = schema.table('members', {
  organizationId: uuid('organization_id').notNull(),
  id: uuid('id').notNull(),
  userId: uuid('user_id').notNull(),
  name: text('name').notNull(),
  email: text('email').notNull(),
  role: text('role').notNull(),
  isRemoved: boolean('is_removed').notNull(),
  version: integer('version').notNull(),
})
export type RecipientMemberRow = typeof members.$inferSelect

export const pages = schema.table('pages', {
  organizationId: uuid('organization_id').notNull(),
  id: uuid('id').notNull(),
  name: text('name').notNull(),
  locale: text('locale').$type<Locale>().notNull(),
  timezone: text('timezone').notNull(),
  theme: jsonb('theme').$type<StatusPage['theme']>(),
  logoUrl: text('logo_url'),
  logoDarkUrl: text('logo_dark_url'),
  isDeleted: boolean('is_deleted').notNull(),
  version: integer('version').notNull(),
})

export const destinations = schema.table('destinations', {
  id: uuid('id').notNull(),
  organizationId: uuid('organization_id').notNull(),
  kind: text('kind').$type<DestinationKind>().notNull().default('subscriber'),
  subscriberId: uuid('subscriber_id'),
  userId: uuid('user_id'),
  channelId: uuid('channel_id'),
  type: text('type').$type<DestinationType>().notNull(),
  address: text('address').notNull(),
  statusPageId: uuid('status_page_id'),
  webhookSecret: text('webhook_secret'),
  previousWebhookSecret: text('previous_webhook_secret'),
  previousWebhookSecretUntil: timestamptz('previous_webhook_secret_until'),
  manageToken: text('manage_token'),
  state: text('state').$type<DestinationState>().notNull(),
  stateReason: text('state_reason'),
  blockedUntil: timestamptz('blocked_until'),
  failStreak: integer('fail_streak').notNull().default(0),
  firstFailAt: timestamptz('first_fail_at'),
  historySince: timestamptz('history_since').notNull().defaultNow(),
  version: integer('version').notNull(),
  ownVersion: integer('own_version').notNull().default(0),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

export type DestinationKind = 'subscriber' | 'user' | 'channel'
export type DestinationType = ChannelType
export type DestinationState =
  | 'unconfirmed'
  | 'active'
  | 'disabled'
  | 'unsubscribed'
  | 'quarantined'
  | 'deleted'

export const audiences = schema.table('audiences', {
  organizationId: uuid('organization_id').notNull(),
  destinationId: uuid('destination_id').notNull(),
  events: text('events').array().notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  incidentId: uuid('incident_id'),
  impacts: text('impacts').array().notNull().default([]),
})

export const fanouts = schema.table('fanouts', {
  organizationId: uuid('organization_id').notNull(),
  eventId: uuid('event_id').notNull(),
  kind: text('kind').notNull(),
  aggregateId: uuid('aggregate_id').notNull(),
  aggregateVersion: integer('aggregate_version').notNull(),
  payload: jsonb('payload').notNull(),
  occurredAt: timestamptz('occurred_at').notNull(),
  afterDestination: uuid('after_destination'),
  traceparent: text('traceparent'),
})

export const deliveries = schema.table('deliveries', {
  id: uuid('id').notNull().default(sql`new_id()`),
  organizationId: uuid('organization_id').notNull(),
  destinationId: uuid('destination_id').notNull(),
  eventId: uuid('event_id').notNull(),
  kind: text('kind').notNull(),
  /** Set by a trigger when absent. */
  worker: text('worker').notNull(),
  orderingKey: uuid('ordering_key').notNull(),
  orderingSeq: integer('ordering_seq').notNull(),
  priority: integer('priority').notNull(),
  state: text('state').$type<import('@status-page/contracts').DeliveryState>().notNull(),
  reason: text('reason').$type<import('@status-page/contracts').DeliveryReason>(),
  attempts: integer('attempts').notNull().default(0),
  deferrals: integer('deferrals').notNull().default(0),
  nextAttemptAt: timestamptz('next_attempt_at').notNull().defaultNow(),
  leaseUntil: timestamptz('lease_until'),
  leaseOwner: uuid('lease_owner'),
  coveredEventIds: uuid('covered_event_ids').array().notNull().default([]),
  supersededBy: uuid('superseded_by'),
  body: bytea('body'),
  deliveredAttempt: integer('delivered_attempt'),
  deliveredStartedAt: timestamptz('delivered_started_at'),
  deliveredDurationMs: integer('delivered_duration_ms'),
  deliveredStatusCode: integer('delivered_status_code'),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
  finishedAt: timestamptz('finished_at'),
  expiresAt: timestamptz('expires_at').notNull(),
})

export const deliveryAttempts = schema.table('delivery_attempts', {
  organizationId: uuid('organization_id').notNull(),
  deliveryId: uuid('delivery_id').notNull(),
  number: integer('number').notNull(),
  startedAt: timestamptz('started_at').notNull(),
  durationMs: integer('duration_ms').notNull(),
  outcome: text('outcome').$type<import('@status-page/contracts').AttemptOutcome>().notNull(),
  statusCode: integer('status_code'),
  error: text('error'),
})

export const rateHits = schema.table('rate_hits', {
  key: uuid('key').notNull(),
  at: timestamp('at', { withTimezone: true }).notNull(),
  hits: integer('hits').notNull().default(1),
})

export const transports = schema.table('transports', {
  name: text('name').primaryKey(),
  blockedUntil: timestamptz('blocked_until'),
  reason: text('reason').$type<'channel_blocked' | 'channel_auth' | 'no_transport'>(),
  failStreak: integer('fail_streak').notNull().default(0),
})

export const notificationChannels = schema.table('notification_channels', {
  id: uuid('id').notNull(),
  organizationId: uuid('organization_id').notNull(),
  name: text('name').notNull(),
  type: text('type').$type<ChannelType>().notNull(),
  config: jsonb('config').$type<AnyChannelConfig>().notNull(),
  events: text('events').array().$type<SelectableChannelEvent[]>().notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  impacts: text('impacts').array().$type<Impact[]>().notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  messageTemplate: text('message_template'),
  disabledReason: text('disabled_reason'),
  managedByConfig: boolean('managed_by_config').notNull().default(false),
  lastDeliveryAt: timestamptz('last_delivery_at'),
  lastDeliveryStatus: text('last_delivery_status').$type<AttemptOutcome>(),
  version: integer('version').notNull().default(1),
  createdAt: timestamptz('created_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})
export type ChannelRow = typeof notificationChannels.$inferSelect

/** Batches of config-sync that were applied, or marked so that they never apply. */
export const channelBatches = schema.table('channel_batches', {
  organizationId: uuid('organization_id').notNull(),
  id: uuid('id').notNull(),
  createdAt: timestamptz('created_at').notNull(),
})

export const defaultChannels = schema.table('default_channels', {
  organizationId: uuid('organization_id').notNull(),
  type: text('type').$type<ChannelType>().notNull(),
  channelId: uuid('channel_id').notNull(),
})

export const smsMessages = schema.table('sms_messages', {
  organizationId: uuid('organization_id').notNull(),
  messageSid: text('message_sid').notNull(),
  channelId: uuid('channel_id').notNull(),
  destinationId: uuid('destination_id').notNull(),
  eventId: uuid('event_id').notNull(),
  providerStatus: text('provider_status').notNull(),
  createdAt: timestamptz('created_at').notNull().defaultNow(),
})

export const smsOptOuts = schema.table('sms_opt_outs', {
  organizationId: uuid('organization_id').notNull(),
  channelId: uuid('channel_id').notNull(),
  phone: text('phone').notNull(),
  at: timestamptz('at').notNull(),
})

export const hookReceipts = schema.table('hook_receipts', {
  organizationId: uuid('organization_id').notNull(),
  channelId: uuid('channel_id').notNull(),
  key: text('key').notNull(),
  at: timestamptz('at').notNull().defaultNow(),
})

export const softBounces = schema.table('soft_bounces', {
  organizationId: uuid('organization_id').notNull(),
  destinationId: uuid('destination_id').notNull(),
  cause: text('cause').notNull(),
  at: timestamptz('at').notNull(),
})

export const flaps = schema.table('flaps', {
  organizationId: uuid('organization_id').notNull(),
  componentId: uuid('component_id').notNull(),
  eventId: uuid('event_id').notNull(),
  stableAt: timestamptz('stable_at').notNull(),
})

/** Notified subscribers, until a summary has been published to core. */
export const subscriberNotifications = schema.table('subscriber_notifications', {
  organizationId: uuid('organization_id').notNull(),
  id: uuid('id').notNull().default(sql`new_id()`),
  subscriberIds: uuid('subscriber_ids').array().notNull(),
  notifiedAt: timestamptz('notified_at').notNull(),
})

export const destinationSuppressions = schema.table('destination_suppressions', {
  organizationId: uuid('organization_id').notNull(),
  destinationId: uuid('destination_id').notNull(),
  day: date('day').notNull(),
  reason: text('reason').$type<SuppressionReason>().notNull(),
  at: timestamptz('at').notNull(),
  notifiedAt: timestamptz('notified_at'),
})
/** Reason for a suppression without a user's request. */
export type SuppressionReason = Exclude<SubscriberStatusReason, 'link'>

export const canaries = schema.table('canaries', {
  service: text('service').$type<ServiceName>().primaryKey(),
  sentAt: timestamptz('sent_at').notNull(),
})

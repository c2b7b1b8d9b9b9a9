/** Drizzle model of integrations; the migrations define the schema. */
import type {
  AlertRoute,
  AnyIntegrationConfig,
  DerivedStatus,
  Impact,
  IntegrationType,
  MetricAggregation,
  MetricFault,
  MetricStatus,
} from '@status-page/contracts'
import { idColumn, organizationIdColumn, pgSchemaFor, timestamptz } from '@status-page/postgres'
import {
  boolean,
  doublePrecision,
  integer,
  json,
  jsonb,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'

const schema = pgSchemaFor('integrations')

/** Timestamp with milliseconds: slots are whole milliseconds, Postgres's clock is finer. */
const instant = (name: string) => timestamp(name, { withTimezone: true })

/** Timestamps set from the scope's clock, so that both times of one change are equal. */
const written = () => ({
  createdAt: timestamptz('created_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})

export const integrations = schema.table('integrations', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  name: text('name').notNull(),
  type: text('type').$type<IntegrationType>().notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  config: jsonb('config').$type<AnyIntegrationConfig>().notNull(),
  managedByConfig: boolean('managed_by_config').notNull(),
  lastTestAt: timestamptz('last_test_at'),
  lastTestSuccess: boolean('last_test_success'),
  ...written(),
})
export type IntegrationRow = typeof integrations.$inferSelect

/** Projection of core's components of every type, which metric queries may reference. */
export const components = schema.table('components', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  version: integer('version').notNull(),
  isRemoved: boolean('is_removed').notNull(),
})

/** Batches of config-sync that were applied, or marked so that they never apply. */
export const integrationBatches = schema.table('integration_batches', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  createdAt: timestamptz('created_at').notNull(),
})

export const metrics = schema.table('metrics', {
  organizationId: organizationIdColumn(),
  id: uuid('id').primaryKey(),
  kind: text('kind', { enum: ['query', 'component'] }).notNull(),
  integrationId: uuid('integration_id').notNull(),
  version: integer('version').notNull(),
  shard: smallint('shard').notNull(),
  name: text('name').notNull(),
  query: text('query').notNull(),
  aggregation: text('aggregation').$type<MetricAggregation>().notNull(),
  intervalSeconds: integer('interval_seconds').notNull(),
  warningThreshold: doublePrecision('warning_threshold'),
  criticalThreshold: doublePrecision('critical_threshold'),
  isEnabled: boolean('is_enabled').notNull(),
  componentId: uuid('component_id'),
  unit: text('unit'),
  decimalPlaces: smallint('decimal_places').notNull(),
  showOnStatusPage: boolean('show_on_status_page').notNull(),
  ...written(),
  deletedAt: instant('deleted_at'),
  erasedAt: instant('erased_at'),
})
export type MetricRow = typeof metrics.$inferSelect

export const metricStates = schema.table('metric_states', {
  organizationId: organizationIdColumn(),
  metricId: uuid('metric_id').notNull(),
  polledSlotAt: instant('polled_slot_at'),
  polledAt: timestamptz('polled_at'),
  lastValue: doublePrecision('last_value'),
  lastValueAt: timestamptz('last_value_at'),
  status: text('status').$type<MetricStatus>().notNull().default('no_data'),
  error: text('error').$type<MetricFault>(),
  derivedStatus: text('derived_status').$type<DerivedStatus>().notNull().default('operational'),
  announcedVersion: integer('announced_version').notNull().default(0),
  changedAt: timestamptz('changed_at').array().notNull().default([]),
})
export type MetricStateRow = typeof metricStates.$inferSelect

export const metricValues = schema.table('metric_values', {
  organizationId: organizationIdColumn(),
  metricId: uuid('metric_id').notNull(),
  slotAt: instant('slot_at').notNull(),
  id: uuid('id').notNull(),
  polledAt: timestamptz('polled_at').notNull(),
  status: text('status').$type<MetricStatus>().notNull(),
  error: text('error').$type<MetricFault>(),
  value: doublePrecision('value'),
  durationMs: integer('duration_ms').notNull(),
})
export type ValueRow = typeof metricValues.$inferSelect

export const metricRollups = schema.table('metric_rollups', {
  organizationId: organizationIdColumn(),
  metricId: uuid('metric_id').notNull(),
  seconds: smallint('seconds').notNull(),
  at: instant('at').notNull(),
  polls: integer('polls').notNull(),
  values: integer('values').notNull(),
  sum: doublePrecision('sum').notNull(),
  min: doublePrecision('min'),
  max: doublePrecision('max'),
})

/** Projection of maintenances that started; `endedAt` is set for finished ones. */
export const maintenances = schema.table('maintenances', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  version: integer('version').notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  endedAt: timestamptz('ended_at'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const alertIntakes = schema.table('alert_intakes', {
  organizationId: organizationIdColumn(),
  integrationId: uuid('integration_id').primaryKey(),
  tokenDigest: text('token_digest').notNull(),
  previousTokenDigest: text('previous_token_digest'),
  previousTokenUntil: timestamptz('previous_token_until'),
  publishAfterMinutes: integer('publish_after_minutes'),
  routes: json('routes').$type<AlertRoute[]>().notNull(),
  titleTemplate: text('title_template').notNull(),
  messageTemplate: text('message_template').notNull(),
  autoResolve: boolean('auto_resolve').notNull(),
  ...written(),
})
export type AlertIntakeRow = typeof alertIntakes.$inferSelect

export const alertGroups = schema.table('alert_groups', {
  organizationId: organizationIdColumn(),
  integrationId: uuid('integration_id').notNull(),
  groupKey: text('group_key').notNull(),
  id: uuid('id').notNull(),
  version: integer('version').notNull(),
  status: text('status', { enum: ['firing', 'resolved'] }).notNull(),
  impact: text('impact').$type<Impact>().notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  startsAt: instant('starts_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})
export type AlertGroupRow = typeof alertGroups.$inferSelect

export const alertSignals = schema.table('alert_signals', {
  organizationId: organizationIdColumn(),
  integrationId: uuid('integration_id').notNull(),
  groupKey: text('group_key').notNull(),
  fingerprint: text('fingerprint').notNull(),
  status: text('status', { enum: ['firing', 'resolved'] }).notNull(),
  startsAt: instant('starts_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})
export type AlertSignalRow = typeof alertSignals.$inferSelect

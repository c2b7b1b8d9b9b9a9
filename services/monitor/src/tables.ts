/** The monitor's model, as its migrations made it. */
import type { CheckError, CheckStatus, Condition, ConditionResult } from '@status-page/contracts'
import { organizationId, schemaFor, timestamps, timestamptz } from '@status-page/postgres'
import { boolean, integer, jsonb, smallint, text, uuid } from 'drizzle-orm/pg-core'
import type { Runs } from './checks/rules.ts'
import type { TargetHeader, TargetMethod } from './targets/rules.ts'

const schema = schemaFor('monitor')

export const targets = schema.table('targets', {
  organizationId: organizationId(),
  componentId: uuid('component_id').primaryKey(),
  version: integer('version').notNull(),
  shard: smallint('shard').notNull(),
  name: text('name').notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  url: text('url').notNull(),
  method: text('method').$type<TargetMethod>().notNull(),
  headers: jsonb('headers').$type<TargetHeader[]>().notNull(),
  body: text('body'),
  intervalSeconds: integer('interval_seconds').notNull(),
  timeoutMs: integer('timeout_ms').notNull(),
  conditions: jsonb('conditions').$type<Condition[]>().notNull(),
  failureThreshold: integer('failure_threshold').notNull(),
  recoveryThreshold: integer('recovery_threshold').notNull(),
  ...timestamps(),
  deletedAt: timestamptz('deleted_at'),
  erasedAt: timestamptz('erased_at'),
})

export const targetStates = schema.table('target_states', {
  organizationId: organizationId(),
  componentId: uuid('component_id').primaryKey(),
  revision: integer('revision').notNull().default(0),
  derivedStatus: text('derived_status', {
    enum: ['operational', 'degraded_performance', 'major_outage'],
  }).notNull(),
  runs: jsonb('runs').$type<Partial<Runs>>().notNull(),
  updatedAt: timestamptz('updated_at').notNull().defaultNow(),
})

export const checks = schema.table('checks', {
  organizationId: organizationId(),
  componentId: uuid('component_id').notNull(),
  slotAt: timestamptz('slot_at').notNull(),
  location: text('location').notNull(),
  trigger: text('trigger', { enum: ['schedule', 'manual'] }).notNull(),
  id: uuid('id').notNull(),
  checkedAt: timestamptz('checked_at').notNull(),
  status: text('status').$type<CheckStatus>().notNull(),
  statusCode: smallint('status_code'),
  responseMs: integer('response_ms'),
  error: text('error').$type<CheckError>(),
  conditionResults: jsonb('condition_results').$type<ConditionResult[]>().notNull(),
})

export const checkHours = schema.table('check_hours', {
  organizationId: organizationId(),
  componentId: uuid('component_id').notNull(),
  hourAt: timestamptz('hour_at').notNull(),
  checks: integer('checks').notNull(),
  successes: integer('successes').notNull(),
  responseMsSum: integer('response_ms_sum').notNull(),
})

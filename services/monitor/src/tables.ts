/** Drizzle model of the monitor; the migrations define the schema. */
import {
  type CheckError,
  type CheckStatus,
  type ConditionResult,
  derivedStatuses,
  type PingKind,
  type ProbeSettings,
  type VendorFault,
  type VendorReport,
  type VendorStatusEventData,
} from '@status-page/contracts'
import { organizationIdColumn, pgSchemaFor, timestamptz } from '@status-page/postgres'
import {
  bigint,
  boolean,
  customType,
  integer,
  jsonb,
  smallint,
  text,
  timestamp,
  uuid,
} from 'drizzle-orm/pg-core'
import { decodeConditionResults, encodeConditionResults } from './checks/record/condition-codec.ts'
import type { OpenRun } from './heartbeats/transitions.ts'
import type { VendorDocument } from './vendors/document.ts'
import type { Runs } from './verdicts/rules.ts'

export type FollowedUpstream = VendorStatusEventData['upstream']

const schema = pgSchemaFor('monitor')

/** Timestamp with milliseconds: slots are whole milliseconds, Postgres's clock is finer. */
const instant = (name: string) => timestamp(name, { withTimezone: true })

export const targets = schema.table('targets', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').primaryKey(),
  version: integer('version').notNull(),
  shard: smallint('shard').notNull(),
  name: text('name').notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  probe: jsonb('probe').$type<ProbeSettings>().notNull(),
  intervalSeconds: integer('interval_seconds'),
  timeoutMs: integer('timeout_ms'),
  failureThreshold: integer('failure_threshold').notNull(),
  recoveryThreshold: integer('recovery_threshold').notNull(),
  locations: text('locations').array().notNull().default([]),
  quorum: smallint('quorum'),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
  deletedAt: instant('deleted_at'),
  erasedAt: instant('erased_at'),
})

export const targetStates = schema.table('target_states', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  location: text('location').notNull().default('default'),
  revision: integer('revision').notNull().default(0),
  derivedStatus: text('derived_status', { enum: derivedStatuses }).notNull().default('operational'),
  runs: jsonb('runs').$type<Partial<Runs>>().notNull().default({}),
  /** Expiry of the certificate last seen. */
  certificateExpiresAt: timestamptz('certificate_expires_at'),
  certificateSubject: text('certificate_subject'),
  certificateIssuer: text('certificate_issuer'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const targetVerdicts = schema.table('target_verdicts', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  version: integer('version').notNull().default(0),
  derivedStatus: text('derived_status', { enum: derivedStatuses }).notNull().default('operational'),
  changedAt: timestamptz('changed_at').array().notNull().default([]),
  /** Expiry of the certificate last warned about. */
  warnedExpiresAt: timestamptz('warned_expires_at'),
  certificateWarnedDays: smallint('certificate_warned_days'),
  suppressedUntil: timestamptz('suppressed_until'),
})

/** Last heartbeat of each location. */
export const locationHeartbeats = schema.table('location_heartbeats', {
  location: text('location').primaryKey(),
  lastHeartbeatAt: instant('last_heartbeat_at').notNull(),
  /** Time since which the location has sent every heartbeat. */
  continuousSince: instant('continuous_since').notNull().defaultNow(),
  canPing: boolean('can_ping').notNull().default(false),
})

/** State of a target of kind `heartbeat`. */
export const heartbeats = schema.table('heartbeats', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  shard: smallint('shard').notNull(),
  tokenHash: text('token_hash'),
  tokenIssuedAt: timestamptz('token_issued_at'),
  lastPingAt: timestamptz('last_ping_at'),
  pings: integer('pings').notNull().default(0),
  expectedAt: timestamptz('expected_at'),
  runs: jsonb('runs').$type<readonly OpenRun[]>().notNull().default([]),
  dueAt: timestamptz('due_at'),
})

/** Last pings of a heartbeat, at `pings` modulo their maximum number. */
export const heartbeatPings = schema.table('heartbeat_pings', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  position: smallint('position').notNull(),
  receivedAt: timestamptz('received_at').notNull(),
  kind: text('kind').$type<PingKind>().notNull(),
  exitCode: smallint('exit_code'),
  run: text('run'),
  durationMs: bigint('duration_ms', { mode: 'number' }),
  body: text('body'),
})

/** Status pages of vendors, shared by all organizations. */
export const vendorPages = schema.table('vendor_pages', {
  url: text('url').primaryKey(),
  shard: smallint('shard').notNull(),
  source: text('source'),
  etag: text('etag'),
  lastModified: text('last_modified'),
  document: jsonb('document').$type<VendorDocument>(),
  documentHash: text('document_hash'),
  version: integer('version').notNull().default(0),
  failures: integer('failures').notNull().default(0),
  error: text('error').$type<VendorFault>(),
  failedSince: timestamptz('failed_since'),
  nextPollAt: instant('next_poll_at').notNull().defaultNow(),
})

/** Projection of the upstreams of components; without a page it is a tombstone. */
export const vendorFollowers = schema.table('vendor_followers', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').primaryKey(),
  version: integer('version').notNull(),
  name: text('name').notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  pageUrl: text('page_url'),
  upstream: jsonb('upstream').$type<FollowedUpstream>(),
  report: jsonb('report').$type<VendorReport>(),
  reportVersion: integer('report_version').notNull().default(0),
  dueAt: instant('due_at'),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

/** Networks in which agents of an organization make checks. */
export const privateLocations = schema.table('private_locations', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  name: text('name').notNull(),
  description: text('description'),
  enrolmentHash: text('enrolment_hash').notNull(),
  enrolmentExpiresAt: timestamptz('enrolment_expires_at').notNull(),
  lastContactAt: timestamptz('last_contact_at'),
  staleSince: timestamptz('stale_since'),
  eventVersion: integer('event_version').notNull().default(0),
  createdAt: instant('created_at').notNull().defaultNow(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

export const agents = schema.table('agents', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  locationId: uuid('location_id').notNull(),
  name: text('name').notNull(),
  tokenHash: text('token_hash').notNull(),
  publicKey: text('public_key').notNull(),
  version: text('version').notNull(),
  canPing: boolean('can_ping').notNull().default(false),
  lagSeconds: integer('lag_seconds').notNull().default(0),
  lastContactAt: timestamptz('last_contact_at').notNull(),
  createdAt: instant('created_at').notNull().defaultNow(),
})

/** Projection of maintenances; finished ones have no components. */
export const maintenances = schema.table('maintenances', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  version: integer('version').notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  updatedAt: instant('updated_at').notNull().defaultNow(),
})

const conditionResultsColumn = customType<{ data: ConditionResult[]; driverData: string }>({
  dataType: () => 'text',
  toDriver: encodeConditionResults,
  fromDriver: decodeConditionResults,
})

export const checks = schema.table('checks', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  slotAt: instant('slot_at').notNull(),
  checkedAt: instant('checked_at').notNull(),
  responseMs: integer('response_ms'),
  dnsMs: integer('dns_ms'),
  connectMs: integer('connect_ms'),
  tlsMs: integer('tls_ms'),
  firstByteMs: integer('first_byte_ms'),
  statusCode: smallint('status_code'),
  isManual: boolean('is_manual').notNull(),
  location: text('location').notNull(),
  status: text('status').$type<CheckStatus>().notNull(),
  error: text('error').$type<CheckError>(),
  conditionResults: conditionResultsColumn('condition_results').notNull(),
})

export const checkHours = schema.table('check_hours', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  hourAt: instant('hour_at').notNull(),
  checks: integer('checks').notNull(),
  successes: integer('successes').notNull(),
  responseMsSum: bigint('response_ms_sum', { mode: 'number' }).notNull(),
  location: text('location').notNull().default('default'),
  p50Ms: integer('p50_ms'),
  p95Ms: integer('p95_ms'),
  p99Ms: integer('p99_ms'),
})

export const checkRollups = schema.table('check_rollups', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  at: instant('at').notNull(),
  location: text('location').notNull(),
  checks: integer('checks').notNull(),
  successes: integer('successes').notNull(),
  meanMs: integer('mean_ms'),
  p50Ms: integer('p50_ms'),
  p95Ms: integer('p95_ms'),
  p99Ms: integer('p99_ms'),
})

export const rollupProgress = schema.table('rollup_progress', {
  location: text('location').notNull(),
  shard: smallint('shard').notNull(),
  rolledUntil: instant('rolled_until').notNull(),
})

export const lateRollups = schema.table('late_rollups', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  location: text('location').notNull(),
  hourAt: instant('hour_at').notNull(),
})

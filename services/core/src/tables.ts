/** Database schema of core for drizzle; the migrations define the constraints. */

import type { Static } from '@sinclair/typebox'
import type {
  ActionItem,
  AlertDetails,
  AlertSeverity,
  AlertSource,
  AlertStatus,
  CheckHeader,
  CheckSettings,
  ComponentEventData,
  ComponentStatus,
  ComponentType,
  DowntimeStatus,
  DraftStatus,
  EscalationStep,
  ImageType,
  Impact,
  IncidentComponentStatus,
  IncidentSource,
  IncidentStatus,
  MaintenanceStatus,
  MonitorEventData,
  OncallEvent,
  OncallLayer,
  PageComponent,
  Recurrence,
  SlaAggregation,
  SlaEvaluation,
  SlaStatus,
  SlaWindowType,
  StatusPage,
  StatusSource,
  Subscriber,
  SubscriberDefaults,
  SubscriberEvent,
  TimelineEntry,
  UpstreamSettings,
  VendorReport,
} from '@status-page/contracts'
import {
  bytea,
  idColumn,
  organizationIdColumn,
  pgSchemaFor,
  timestamptz,
} from '@status-page/postgres'
import { boolean, doublePrecision, integer, json, jsonb, text, uuid } from 'drizzle-orm/pg-core'
import type { StatusClaims } from './components/status.ts'

const core = pgSchemaFor('core')

/** Timestamps are always set from the scope's clock, so that all times of one change are equal. */
const timestampColumns = () => ({
  createdAt: timestamptz('created_at').notNull(),
  updatedAt: timestamptz('updated_at').notNull(),
})

export type StoredHeader = Static<typeof CheckHeader>

/** Metric query of a METRIC component. */
export type MetricSettings = NonNullable<ComponentEventData['metric']>

export const components = core.table('components', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull().default(1),
  type: text('type').$type<ComponentType>().notNull(),
  name: text('name').notNull(),
  description: text('description'),
  isEnabled: boolean('is_enabled').notNull(),
  isMuted: boolean('is_muted').notNull(),
  parentComponentId: uuid('parent_component_id'),
  dependsOn: uuid('depends_on').array().notNull().default([]),
  icon: text('icon'),
  showIconOnStatusPage: boolean('show_icon_on_status_page').notNull(),
  order: integer('order').notNull(),
  managedByConfig: boolean('managed_by_config').notNull().default(false),
  endpoint: json('endpoint').$type<CheckSettings>(),
  metric: json('metric').$type<MetricSettings>(),
  upstream: json('upstream').$type<UpstreamSettings>(),
  claims: jsonb('claims').$type<StatusClaims>().notNull(),
  status: text('status').$type<ComponentStatus>().notNull(),
  statusSource: text('status_source').$type<StatusSource>().notNull(),
  statusChangedAt: timestamptz('status_changed_at').notNull(),
  monitorVersion: integer('monitor_version').notNull().default(0),
  averageResponseTime: doublePrecision('average_response_time'),
  lastCheckAt: timestamptz('last_check_at'),
  lastValue: doublePrecision('last_value'),
  lastValueAt: timestamptz('last_value_at'),
  vendorReport: json('vendor_report').$type<VendorReport>(),
  vendorVersion: integer('vendor_version').notNull().default(0),
  ...timestampColumns(),
})
export type ComponentRow = typeof components.$inferSelect

/** Ids of the batches of config-sync that were already applied. */
export const componentBatches = core.table('component_batches', {
  organizationId: organizationIdColumn(),
  id: idColumn(),
  createdAt: timestamptz('created_at').notNull(),
})

/** Copies of integrations, used to validate METRIC components. */
export const integrations = core.table('integrations', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  isRemoved: boolean('is_removed').notNull(),
  version: integer('version').notNull(),
})
export type IntegrationProjectionRow = typeof integrations.$inferSelect

/** Metrics shown on pages: copies of metric queries. */
export const pageMetrics = core.table('page_metrics', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  version: integer('version').notNull(),
  integrationId: uuid('integration_id').notNull(),
  componentId: uuid('component_id'),
  name: text('name').notNull(),
  unit: text('unit'),
  decimalPlaces: integer('decimal_places').notNull(),
  isShown: boolean('is_shown').notNull(),
  lastValue: doublePrecision('last_value'),
  lastValueAt: timestamptz('last_value_at'),
})

export const pageMetricPoints = core.table('page_metric_points', {
  organizationId: organizationIdColumn(),
  metricId: uuid('metric_id').notNull(),
  at: timestamptz('at').notNull(),
  value: doublePrecision('value').notNull(),
})

export const componentStatusIntervals = core.table('component_status_intervals', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  startedAt: timestamptz('started_at').notNull(),
  endedAt: timestamptz('ended_at'),
  status: text('status').$type<ComponentStatus>().notNull(),
  source: text('source').$type<StatusSource>().notNull(),
  /** Status and source as recorded, where a correction replaced them; otherwise null. */
  recordedStatus: text('recorded_status').$type<ComponentStatus>(),
  recordedSource: text('recorded_source').$type<StatusSource>(),
})

/** Outages of components with dependencies that are not confirmed as outages of their own. */
export const dependentOutages = core.table('dependent_outages', {
  organizationId: organizationIdColumn(),
  componentId: uuid('component_id').notNull(),
  /** Event that began the outage. */
  eventId: uuid('event_id').notNull(),
  monitorVersion: integer('monitor_version').notNull(),
  monitor: jsonb('monitor').$type<MonitorEventData>().notNull(),
  /** Component whose outage explains this one, or explained it last. */
  causeId: uuid('cause_id'),
  /** Time of the next decision; null while the cause is down. */
  decideAt: timestamptz('decide_at'),
})
export type DependentOutageRow = typeof dependentOutages.$inferSelect

/** Corrections of the status history by incidents; `operational` removes recorded statuses. */
export const incidentStatusSpans = core.table('incident_status_spans', {
  organizationId: organizationIdColumn(),
  incidentId: uuid('incident_id').notNull(),
  componentId: uuid('component_id').notNull(),
  startedAt: timestamptz('started_at').notNull(),
  endedAt: timestamptz('ended_at').notNull(),
  status: text('status').$type<IncidentComponentStatus>().notNull(),
})

export const incidents = core.table('incidents', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  title: text('title').notNull(),
  status: text('status').$type<IncidentStatus>().notNull(),
  impact: text('impact').$type<Impact>().notNull(),
  message: text('message').notNull(),
  source: text('source').$type<IncidentSource>().notNull(),
  isAutoCreated: boolean('is_auto_created').notNull(),
  triggerComponentId: uuid('trigger_component_id'),
  autoResolved: boolean('auto_resolved').notNull(),
  startedAt: timestamptz('started_at').notNull(),
  resolvedAt: timestamptz('resolved_at'),
  reopenedAt: timestamptz('reopened_at'),
  reopenCount: integer('reopen_count').notNull(),
  isBackfilled: boolean('is_backfilled').notNull().default(false),
  nextUpdateAt: timestamptz('next_update_at'),
  overdueNotified: boolean('overdue_notified').notNull().default(false),
  ...timestampColumns(),
})
export type IncidentRow = typeof incidents.$inferSelect

export const incidentComponents = core.table('incident_components', {
  organizationId: organizationIdColumn(),
  incidentId: uuid('incident_id').notNull(),
  componentId: uuid('component_id').notNull(),
  position: integer('position').notNull(),
  name: text('name').notNull(),
  status: text('status').$type<ComponentStatus>().notNull(),
  isFailing: boolean('is_failing').notNull().default(false),
  /** True when the outage of another component of the incident explains the one of this component. */
  isExplained: boolean('is_explained').notNull().default(false),
  /** Whether its outage opened the incident; the generated title names these components. */
  isTrigger: boolean('is_trigger').notNull().default(false),
  /** Pages that showed the component when it was deleted. */
  retainedPageIds: uuid('retained_page_ids').array().notNull().default([]),
})
export type IncidentComponentRow = typeof incidentComponents.$inferSelect

export const incidentUpdates = core.table('incident_updates', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  incidentId: uuid('incident_id').notNull(),
  incidentVersion: integer('incident_version').notNull(),
  status: text('status').$type<IncidentStatus>().notNull(),
  message: text('message').notNull(),
  componentStatuses: jsonb('component_statuses').$type<Record<string, ComponentStatus>>().notNull(),
  byPerson: boolean('by_person').notNull(),
  isImported: boolean('is_imported').notNull().default(false),
  displayAt: timestamptz('display_at').notNull(),
  ...timestampColumns(),
})
export type IncidentUpdateRow = typeof incidentUpdates.$inferSelect

export const postmortems = core.table('postmortems', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  incidentId: uuid('incident_id').notNull(),
  summary: text('summary').notNull(),
  rootCause: text('root_cause'),
  impact: text('impact'),
  resolution: text('resolution'),
  timeline: json('timeline').$type<TimelineEntry[]>().notNull(),
  actionItems: json('action_items').$type<ActionItem[]>().notNull(),
  publishedAt: timestamptz('published_at'),
  ...timestampColumns(),
})
export type PostmortemRow = typeof postmortems.$inferSelect

export const incidentTemplates = core.table('incident_templates', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  name: text('name').notNull(),
  title: text('title').notNull(),
  message: text('message').notNull(),
  status: text('status').$type<IncidentStatus>().notNull(),
  impact: text('impact').$type<Impact>().notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  componentStatuses: json('component_statuses')
    .$type<Record<string, IncidentComponentStatus>>()
    .notNull(),
  managedByConfig: boolean('managed_by_config').notNull().default(false),
  ...timestampColumns(),
})
export type IncidentTemplateRow = typeof incidentTemplates.$inferSelect

export const incidentDrafts = core.table('incident_drafts', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  status: text('status').$type<DraftStatus>().notNull(),
  title: text('title').notNull(),
  message: text('message').notNull(),
  impact: text('impact').$type<Impact>().notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  startedAt: timestamptz('started_at').notNull(),
  integrationId: uuid('integration_id'),
  vendorComponentId: uuid('vendor_component_id'),
  publishAt: timestamptz('publish_at'),
  alertResolvedAt: timestamptz('alert_resolved_at'),
  incidentId: uuid('incident_id'),
  notes: json('notes').$type<{ at: string; text: string }[]>().notNull(),
  ...timestampColumns(),
})
export type IncidentDraftRow = typeof incidentDrafts.$inferSelect

export const maintenances = core.table('maintenances', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  title: text('title').notNull(),
  message: text('message').notNull(),
  planMessage: text('plan_message').notNull(),
  status: text('status').$type<MaintenanceStatus>().notNull(),
  scheduledFor: timestamptz('scheduled_for').notNull(),
  scheduledUntil: timestamptz('scheduled_until').notNull(),
  startedAt: timestamptz('started_at'),
  completedAt: timestamptz('completed_at'),
  cancelledAt: timestamptz('cancelled_at'),
  autoStart: boolean('auto_start').notNull(),
  autoComplete: boolean('auto_complete').notNull(),
  setUnderMaintenance: boolean('set_under_maintenance').notNull(),
  restoreOnComplete: boolean('restore_on_complete').notNull(),
  notifySubscribers: boolean('notify_subscribers').notNull(),
  remindBeforeMinutes: integer('remind_before_minutes').array().notNull(),
  remindedAt: timestamptz('reminded_at').notNull(),
  recurrence: json('recurrence').$type<Recurrence>(),
  recurrenceOf: uuid('recurrence_of'),
  occurrenceAt: timestamptz('occurrence_at'),
  nextOccurrenceAt: timestamptz('next_occurrence_at'),
  dueAt: timestamptz('due_at'),
  leaseUntil: timestamptz('lease_until'),
  componentIds: uuid('component_ids').array().notNull().default([]),
  ...timestampColumns(),
})
export type MaintenanceRow = typeof maintenances.$inferSelect

export const maintenanceTemplates = core.table('maintenance_templates', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  name: text('name').notNull(),
  title: text('title').notNull(),
  message: text('message').notNull(),
  durationMinutes: integer('duration_minutes').notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  autoStart: boolean('auto_start').notNull(),
  autoComplete: boolean('auto_complete').notNull(),
  setUnderMaintenance: boolean('set_under_maintenance').notNull(),
  restoreOnComplete: boolean('restore_on_complete').notNull(),
  notifySubscribers: boolean('notify_subscribers').notNull(),
  remindBeforeMinutes: integer('remind_before_minutes').array().notNull(),
  managedByConfig: boolean('managed_by_config').notNull().default(false),
  ...timestampColumns(),
})
export type MaintenanceTemplateRow = typeof maintenanceTemplates.$inferSelect

export const maintenanceComponents = core.table('maintenance_components', {
  organizationId: organizationIdColumn(),
  maintenanceId: uuid('maintenance_id').notNull(),
  componentId: uuid('component_id').notNull(),
  position: integer('position').notNull(),
  name: text('name').notNull(),
  status: text('status').$type<ComponentStatus>().notNull(),
  /** Pages that showed the component when it was deleted. */
  retainedPageIds: uuid('retained_page_ids').array().notNull().default([]),
})
export type MaintenanceComponentRow = typeof maintenanceComponents.$inferSelect

export const maintenanceUpdates = core.table('maintenance_updates', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  maintenanceId: uuid('maintenance_id').notNull(),
  maintenanceVersion: integer('maintenance_version').notNull(),
  status: text('status').$type<MaintenanceStatus>().notNull(),
  message: text('message').notNull(),
  displayAt: timestamptz('display_at').notNull(),
  ...timestampColumns(),
})
export type MaintenanceUpdateRow = typeof maintenanceUpdates.$inferSelect

export const statusPages = core.table('status_pages', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  name: text('name').notNull(),
  slug: text('slug').notNull(),
  description: text('description'),
  isPublished: boolean('is_published').notNull(),
  visibility: text('visibility').$type<StatusPage['visibility']>().notNull(),
  passwordHash: text('password_hash'),
  passwordDigest: text('password_digest'),
  allowedIpRanges: text('allowed_ip_ranges').array().notNull().default([]),
  customDomain: text('custom_domain'),
  customDomainStatus: text('custom_domain_status')
    .$type<StatusPage['customDomainStatus']>()
    .notNull()
    .default('none'),
  customDomainMissingSince: timestamptz('custom_domain_missing_since'),
  customDomainDueAt: timestamptz('custom_domain_due_at'),
  components: json('components').$type<PageComponent[]>().notNull(),
  theme: json('theme').$type<StatusPage['theme']>().notNull(),
  logoUrl: text('logo_url'),
  logoDarkUrl: text('logo_dark_url'),
  faviconUrl: text('favicon_url'),
  homepageUrl: text('homepage_url'),
  supportUrl: text('support_url'),
  timezone: text('timezone').notNull(),
  locale: text('locale').$type<StatusPage['locale']>().notNull(),
  alternateLocales: text('alternate_locales')
    .array()
    .$type<StatusPage['alternateLocales']>()
    .notNull()
    .default([]),
  uptimeDays: integer('uptime_days').notNull(),
  incidentHistoryDays: integer('incident_history_days').notNull(),
  showUptimePercentage: boolean('show_uptime_percentage').notNull(),
  allowIndexing: boolean('allow_indexing').notNull(),
  allowFeeds: boolean('allow_feeds').notNull(),
  allowEmailSubscribers: boolean('allow_email_subscribers').notNull(),
  allowSmsSubscribers: boolean('allow_sms_subscribers').notNull(),
  allowWebhookSubscribers: boolean('allow_webhook_subscribers').notNull(),
  subscriberDefaults: json('subscriber_defaults').$type<SubscriberDefaults>().notNull(),
  managedByConfig: boolean('managed_by_config').notNull().default(false),
  ...timestampColumns(),
})
export type StatusPageRow = typeof statusPages.$inferSelect

export const uploads = core.table('uploads', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  contentType: text('content_type').$type<ImageType>().notNull(),
  width: integer('width').notNull(),
  height: integer('height').notNull(),
  bytes: integer('bytes').notNull(),
  sha256: text('sha256').notNull(),
  createdAt: timestamptz('created_at').notNull(),
})
export type UploadRow = typeof uploads.$inferSelect

export const uploadContents = core.table('upload_contents', {
  organizationId: organizationIdColumn(),
  uploadId: uuid('upload_id').notNull(),
  content: bytea('content').notNull(),
})

export type RecordSource = 'statuspage' | 'sample'
export type ImportedKind = 'page' | 'component' | 'incident' | 'maintenance' | 'incident_template'

export const importedRecords = core.table('imported_records', {
  organizationId: organizationIdColumn(),
  source: text('source').$type<RecordSource>().notNull(),
  kind: text('kind').$type<ImportedKind>().notNull(),
  sourceId: text('source_id').notNull(),
  recordId: uuid('record_id').notNull(),
  updateIds: text('update_ids').array().notNull().default([]),
  importedAt: timestamptz('imported_at').notNull(),
})

export const pageExports = core.table('page_exports', {
  organizationId: organizationIdColumn(),
  statusPageId: uuid('status_page_id').notNull(),
  slug: text('slug').notNull(),
  files: jsonb('files').$type<Record<string, string>>().notNull(),
  nextAt: timestamptz('next_at').notNull(),
  exportedAt: timestamptz('exported_at'),
  owner: uuid('owner'),
  clearedAt: timestamptz('cleared_at'),
})
export type PageExportRow = typeof pageExports.$inferSelect

export const pageAccessAttempts = core.table('page_access_attempts', {
  organizationId: organizationIdColumn(),
  statusPageId: uuid('status_page_id').notNull(),
  windowStartedAt: timestamptz('window_started_at').notNull(),
  attempts: integer('attempts').notNull(),
})

export const subscribers = core.table('subscribers', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  type: text('type').$type<Subscriber['type']>().notNull(),
  address: text('address').notNull(),
  addressDigest: text('address_digest').notNull(),
  webhookSecret: text('webhook_secret'),
  componentIds: uuid('component_ids').array().notNull(),
  events: text('events').array().$type<SubscriberEvent[]>().notNull(),
  statusPageId: uuid('status_page_id'),
  incidentId: uuid('incident_id'),
  status: text('status').$type<Subscriber['status']>().notNull(),
  statusReason: text('status_reason').$type<Subscriber['statusReason']>(),
  source: text('source').$type<Subscriber['source']>().notNull(),
  consentedAt: timestamptz('consented_at'),
  confirmedAt: timestamptz('confirmed_at'),
  unsubscribedAt: timestamptz('unsubscribed_at'),
  lastNotifiedAt: timestamptz('last_notified_at'),
  manageTokenDigest: text('manage_token_digest').notNull(),
  manageToken: text('manage_token').notNull(),
  previousWebhookSecret: text('previous_webhook_secret'),
  previousWebhookSecretUntil: timestamptz('previous_webhook_secret_until'),
  reactivatedAt: timestamptz('reactivated_at'),
  consentAddress: text('consent_address'),
  ...timestampColumns(),
})
export type SubscriberRow = typeof subscribers.$inferSelect

export const subscriberConfirmations = core.table('subscriber_confirmations', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  subscriberId: uuid('subscriber_id').notNull(),
  addressDigest: text('address_digest').notNull(),
  secretDigest: text('secret_digest').notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  events: text('events').array().$type<SubscriberEvent[]>().notNull(),
  webhookSecret: text('webhook_secret'),
  source: text('source').$type<'self_signup' | 'api'>().notNull(),
  tries: integer('tries').notNull(),
  createdAt: timestamptz('created_at').notNull(),
  expiresAt: timestamptz('expires_at').notNull(),
})
export type ConfirmationRow = typeof subscriberConfirmations.$inferSelect

export const confirmationMessages = core.table('confirmation_messages', {
  addressDigest: text('address_digest').notNull(),
  at: timestamptz('at').notNull(),
})

export const members = core.table('members', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  userId: uuid('user_id').notNull(),
  name: text('name').notNull(),
  email: text('email').notNull(),
  isRemoved: boolean('is_removed').notNull(),
  version: integer('version').notNull(),
})
export type MemberProjectionRow = typeof members.$inferSelect

export const channels = core.table('channels', {
  organizationId: organizationIdColumn(),
  id: uuid('id').notNull(),
  isRemoved: boolean('is_removed').notNull(),
  version: integer('version').notNull(),
})
export type ChannelProjectionRow = typeof channels.$inferSelect

export const oncallSchedules = core.table('oncall_schedules', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  name: text('name').notNull(),
  description: text('description'),
  timezone: text('timezone').notNull(),
  componentIds: uuid('component_ids').array().notNull(),
  events: text('events').array().$type<OncallEvent[]>().notNull().default([]),
  isEnabled: boolean('is_enabled').notNull(),
  layers: json('layers').$type<OncallLayer[]>().notNull(),
  escalation: json('escalation').$type<EscalationStep[]>().notNull(),
  managedByConfig: boolean('managed_by_config').notNull().default(false),
  ...timestampColumns(),
})
export type OncallScheduleRow = typeof oncallSchedules.$inferSelect

export const oncallOverrides = core.table('oncall_overrides', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  scheduleId: uuid('schedule_id').notNull(),
  userId: uuid('user_id').notNull(),
  startsAt: timestamptz('starts_at').notNull(),
  endsAt: timestamptz('ends_at').notNull(),
  ...timestampColumns(),
})
export type OncallOverrideRow = typeof oncallOverrides.$inferSelect

export const oncallAlerts = core.table('oncall_alerts', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  scheduleId: uuid('schedule_id').notNull(),
  scheduleName: text('schedule_name').notNull(),
  status: text('status').$type<AlertStatus>().notNull(),
  title: text('title').notNull(),
  severity: text('severity').$type<AlertSeverity>().notNull(),
  source: text('source').$type<AlertSource>().notNull(),
  componentId: uuid('component_id'),
  incidentId: uuid('incident_id'),
  dedupKey: text('dedup_key').notNull(),
  reason: text('reason'),
  details: jsonb('details').$type<AlertDetails>(),
  url: text('url'),
  since: timestamptz('since').notNull(),
  assignedUserIds: uuid('assigned_user_ids').array().notNull(),
  escalationLevel: integer('escalation_level').notNull(),
  nextStep: integer('next_step'),
  dueAt: timestamptz('due_at'),
  count: integer('count').notNull(),
  noResponder: boolean('no_responder').notNull(),
  triggeredAt: timestamptz('triggered_at').notNull(),
  acknowledgedAt: timestamptz('acknowledged_at'),
  acknowledgedBy: uuid('acknowledged_by'),
  resolvedAt: timestamptz('resolved_at'),
  ...timestampColumns(),
})
export type OncallAlertRow = typeof oncallAlerts.$inferSelect

export const slas = core.table('slas', {
  id: idColumn(),
  organizationId: organizationIdColumn(),
  version: integer('version').notNull(),
  name: text('name').notNull(),
  description: text('description'),
  componentIds: uuid('component_ids').array().notNull(),
  targetPercentage: doublePrecision('target_percentage').notNull(),
  windowType: text('window_type').$type<SlaWindowType>().notNull(),
  windowDays: integer('window_days').notNull(),
  timezone: text('timezone').notNull(),
  aggregation: text('aggregation').$type<SlaAggregation>().notNull(),
  downtimeStatuses: text('downtime_statuses').array().$type<DowntimeStatus[]>().notNull(),
  partialWeight: doublePrecision('partial_weight').notNull(),
  excludeMaintenance: boolean('exclude_maintenance').notNull(),
  minOutageSeconds: integer('min_outage_seconds').notNull(),
  atRiskThreshold: doublePrecision('at_risk_threshold').notNull(),
  isEnabled: boolean('is_enabled').notNull(),
  responseTargetMinutes: integer('response_target_minutes'),
  resolutionTargetMinutes: integer('resolution_target_minutes'),
  managedByConfig: boolean('managed_by_config').notNull().default(false),
  status: text('status').$type<SlaStatus>().notNull(),
  current: json('current').$type<SlaEvaluation>().notNull(),
  dueAt: timestamptz('due_at'),
  ...timestampColumns(),
})
export type SlaRow = typeof slas.$inferSelect

export const slaMisses = core.table('sla_misses', {
  organizationId: organizationIdColumn(),
  slaId: uuid('sla_id').notNull(),
  incidentId: uuid('incident_id').notNull(),
  kind: text('kind').$type<'response' | 'resolution'>().notNull(),
  dueAt: timestamptz('due_at').notNull(),
  notifiedAt: timestamptz('notified_at').notNull(),
})

/** Keyed hashes of addresses that only their owner may subscribe again. */
export const erasedAddresses = core.table('erased_addresses', {
  organizationId: organizationIdColumn(),
  addressHash: text('address_hash').notNull(),
  erasedAt: timestamptz('erased_at').notNull(),
})

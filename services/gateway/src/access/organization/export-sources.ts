/**
 * Resources of an organization in its export, each by the operation that lists or reads it. A test
 * compares them with the contract, so that no resource is forgotten.
 */
import {
  alertIntakeOperations,
  apiKeyOperations,
  auditOperations,
  componentCheckOperations,
  componentOperations,
  configurationOperations,
  deliveryOperations,
  domainOperations,
  gitSyncOperations,
  incidentDraftOperations,
  incidentOperations,
  incidentTemplateOperations,
  integrationOperations,
  invitationOperations,
  locationOperations,
  maintenanceOperations,
  maintenanceTemplateOperations,
  memberOperations,
  metricQueryOperations,
  notificationChannelOperations,
  type Operation,
  oncallAlertOperations,
  oncallScheduleOperations,
  roleOperations,
  samlOperations,
  slaOperations,
  statusPageOperations,
  subscriberOperations,
  uploadOperations,
  variableOperations,
} from '@status-page/contracts'

/** Resource of another service: one line per item of a list, or one line for a single resource. */
export interface ForwardedSource {
  kind: string
  operation: Operation
  /** Items per page of a list; fewer of large items, because a page is parsed without a pause. */
  pageSize?: number
  /** Operation that returns one item with its parts, which would exceed the limit of a list. */
  item?: { operation: Operation; include: string }
  /** The operation responds 404 while the organization has none. */
  isOptional?: true
  /** Resources below each item: `{id}` of their path is the item's id. */
  children?: readonly ForwardedSource[]
}

/** Items have up to 150 KB. */
const LARGE_ITEMS = 10

export const forwardedSources: readonly ForwardedSource[] = [
  {
    kind: 'component',
    operation: componentOperations.list,
    pageSize: LARGE_ITEMS,
    children: [
      { kind: 'component_status', operation: componentOperations.statusHistory },
      { kind: 'component_uptime', operation: componentOperations.uptime },
      { kind: 'component_response_times', operation: componentCheckOperations.responseTimes },
    ],
  },
  {
    kind: 'incident',
    operation: incidentOperations.list,
    pageSize: LARGE_ITEMS,
    item: { operation: incidentOperations.read, include: 'updates,postmortem' },
  },
  {
    kind: 'maintenance',
    operation: maintenanceOperations.list,
    pageSize: LARGE_ITEMS,
    item: { operation: maintenanceOperations.read, include: 'updates' },
  },
  {
    kind: 'incident_template',
    operation: incidentTemplateOperations.list,
    pageSize: LARGE_ITEMS,
  },
  {
    kind: 'maintenance_template',
    operation: maintenanceTemplateOperations.list,
    pageSize: LARGE_ITEMS,
  },
  { kind: 'incident_draft', operation: incidentDraftOperations.list, pageSize: LARGE_ITEMS },
  { kind: 'status_page', operation: statusPageOperations.list, pageSize: LARGE_ITEMS },
  { kind: 'upload', operation: uploadOperations.list },
  { kind: 'subscriber', operation: subscriberOperations.list },
  { kind: 'sla', operation: slaOperations.list },
  { kind: 'oncall_schedule', operation: oncallScheduleOperations.list, pageSize: LARGE_ITEMS },
  { kind: 'oncall_alert', operation: oncallAlertOperations.list },
  {
    kind: 'integration',
    operation: integrationOperations.list,
    children: [
      { kind: 'metric_query', operation: metricQueryOperations.list },
      { kind: 'alert_intake', operation: alertIntakeOperations.read },
    ],
  },
  {
    kind: 'notification_channel',
    operation: notificationChannelOperations.list,
    pageSize: LARGE_ITEMS,
  },
  { kind: 'delivery', operation: deliveryOperations.list },
  { kind: 'location', operation: locationOperations.list },
  { kind: 'variable', operation: variableOperations.list },
  { kind: 'git_sync', operation: gitSyncOperations.read, isOptional: true },
  { kind: 'git_sync_run', operation: gitSyncOperations.history, isOptional: true },
  { kind: 'configuration_version', operation: configurationOperations.versions },
]

/** Resource that the gateway exports from its own table. */
export interface StoredSource {
  kind: string
  /** Operation that returns the same resource over HTTP. */
  operation: Operation
  table: string
  /** Column of uuids that orders the pages. */
  key: 'id' | 'organization_id'
}

export const storedSources: readonly StoredSource[] = [
  { kind: 'member', operation: memberOperations.list, table: 'memberships', key: 'id' },
  { kind: 'role', operation: roleOperations.list, table: 'roles', key: 'id' },
  { kind: 'invitation', operation: invitationOperations.list, table: 'invitations', key: 'id' },
  { kind: 'api_key', operation: apiKeyOperations.list, table: 'api_keys', key: 'id' },
  { kind: 'domain', operation: domainOperations.list, table: 'domains', key: 'id' },
  {
    kind: 'saml_provider',
    operation: samlOperations.read,
    table: 'saml_providers',
    key: 'organization_id',
  },
  { kind: 'audit_entry', operation: auditOperations.list, table: 'audit_log', key: 'id' },
]

/** Columns of these tables with hashes and other secrets. */
export const hiddenColumns = ['token_hash', 'suffix', 'txt_value']

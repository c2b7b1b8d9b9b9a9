/**
 * Public interface of the contract: the resources' schemas, operations and events, and the lists of
 * all operations and all events.
 */
import type { Event } from './event.ts'
import type { Operation } from './operation.ts'
import * as account from './resources/account.ts'
import * as accountMail from './resources/account-mail.ts'
import * as alertIntakes from './resources/alert-intakes.ts'
import { apiKeyOperations } from './resources/api-keys.ts'
import * as audiences from './resources/audiences.ts'
import { auditOperations, auditRecorded } from './resources/audit.ts'
import { authOperations } from './resources/auth.ts'
import { canarySent } from './resources/canary.ts'
import * as checks from './resources/checks.ts'
import { componentBatchOperations } from './resources/component-batches.ts'
import * as components from './resources/components.ts'
import * as configuration from './resources/configuration.ts'
import * as deliveries from './resources/deliveries.ts'
import { domainOperations } from './resources/domains.ts'
import { emailOperations } from './resources/email.ts'
import * as erasure from './resources/erasure.ts'
import { exportOperations } from './resources/exports.ts'
import { gitHookOperations, gitSyncOperations } from './resources/git-sync.ts'
import { importOperations } from './resources/imports.ts'
import * as incidentDrafts from './resources/incident-drafts.ts'
import { incidentTemplateOperations } from './resources/incident-templates.ts'
import * as incidents from './resources/incidents.ts'
import { integrationBatchOperations } from './resources/integration-batches.ts'
import * as integrations from './resources/integrations.ts'
import { invitationOperations } from './resources/invitations.ts'
import * as maintenances from './resources/maintenances.ts'
import * as members from './resources/members.ts'
import * as metricQueries from './resources/metric-queries.ts'
import * as channels from './resources/notification-channels.ts'
import * as oncall from './resources/oncall.ts'
import * as organization from './resources/organization.ts'
import { overviewOperations, pendingDeliveryOperations } from './resources/overview.ts'
import { pageDomainOperations, pageLiveOperations, pageOperations } from './resources/pages.ts'
import { postmortemOperations } from './resources/postmortems.ts'
import { publicOperations } from './resources/public.ts'
import { roleOperations } from './resources/roles.ts'
import { samlOperations } from './resources/saml.ts'
import * as sla from './resources/sla.ts'
import * as statusPages from './resources/status-pages.ts'
import { statuspageOperations } from './resources/statuspage.ts'
import * as subscribers from './resources/subscribers.ts'
import { subscriptionOperations } from './resources/subscriptions.ts'
import { variableOperations } from './resources/variables.ts'

export * from './alert-templates.ts'
export * from './conditions.ts'
export * from './cooperative-computation.ts'
export * from './error.ts'
export * from './event.ts'
export * from './flapping.ts'
export * from './listing.ts'
export * from './negotiation.ts'
export * from './operation.ts'
export * from './outcome.ts'
export * from './patch.ts'
export * from './permission.ts'
export * from './rate-bucket.ts'
export * from './resources/account.ts'
export * from './resources/account-mail.ts'
export * from './resources/alert-intakes.ts'
export * from './resources/api-keys.ts'
export * from './resources/attempt-outcomes.ts'
export * from './resources/audiences.ts'
export * from './resources/audit.ts'
export * from './resources/auth.ts'
export * from './resources/automatic-texts.ts'
export * from './resources/canary.ts'
export * from './resources/checks.ts'
export * from './resources/component-batches.ts'
export * from './resources/components.ts'
export * from './resources/configuration.ts'
export * from './resources/deliveries.ts'
export * from './resources/domains.ts'
export * from './resources/email.ts'
export * from './resources/erasure.ts'
export * from './resources/event-pages.ts'
export * from './resources/exports.ts'
export * from './resources/git-sync.ts'
export * from './resources/imports.ts'
export * from './resources/incident-drafts.ts'
export * from './resources/incident-scope.ts'
export * from './resources/incident-templates.ts'
export * from './resources/incidents.ts'
export * from './resources/integration-batches.ts'
export * from './resources/integrations.ts'
export * from './resources/invitations.ts'
export * from './resources/maintenances.ts'
export * from './resources/members.ts'
export * from './resources/metric-queries.ts'
export * from './resources/notification-channels.ts'
export * from './resources/oncall.ts'
export * from './resources/organization.ts'
export * from './resources/overview.ts'
export * from './resources/pages.ts'
export * from './resources/postmortems.ts'
export * from './resources/probes.ts'
export * from './resources/public.ts'
export * from './resources/roles.ts'
export * from './resources/saml.ts'
export * from './resources/sla.ts'
export * from './resources/status-pages.ts'
export * from './resources/statuspage.ts'
export * from './resources/subscribers.ts'
export * from './resources/subscriptions.ts'
export * from './resources/variables.ts'
export * from './scalars.ts'
export * from './secret-fields.ts'

/** All operations, in the order of the OpenAPI document. */
export const operations: readonly Operation[] = [
  authOperations,
  account.passwordOperations,
  emailOperations,
  account.sessionOperations,
  account.twoFactorOperations,
  account.invitationAcceptOperations,
  organization.organizationOperations,
  erasure.accountErasureOperations,
  erasure.organizationDeletionOperations,
  erasure.organizationExportOperations,
  members.memberOperations,
  invitationOperations,
  roleOperations,
  apiKeyOperations,
  auditOperations,
  overviewOperations,
  samlOperations,
  domainOperations,
  components.componentOperations,
  incidents.incidentOperations,
  audiences.incidentPreviewOperations,
  maintenances.maintenanceOperations,
  postmortemOperations,
  incidentTemplateOperations,
  incidentDrafts.incidentDraftOperations,
  subscribers.subscriberOperations,
  erasure.subscriberErasureOperations,
  subscriptionOperations,
  statusPages.statusPageOperations,
  publicOperations,
  importOperations,
  exportOperations,
  statuspageOperations,
  pageOperations,
  pageLiveOperations,
  pageDomainOperations,
  sla.slaOperations,
  channels.notificationChannelOperations,
  deliveries.deliveryOperations,
  integrations.integrationOperations,
  metricQueries.metricQueryOperations,
  alertIntakes.alertIntakeOperations,
  oncall.oncallScheduleOperations,
  oncall.oncallAlertOperations,
  configuration.configurationOperations,
  variableOperations,
  checks.componentCheckOperations,
  checks.checkOperations,
  componentBatchOperations,
  integrationBatchOperations,
  metricQueries.metricOperations,
  audiences.audienceOperations,
  pendingDeliveryOperations,
  gitSyncOperations,
  channels.channelHookOperations,
  alertIntakes.alertHookOperations,
  gitHookOperations,
].flatMap((group) => Object.values(group as Record<string, Operation>))

/** All events that are published. */
export const events: readonly Event[] = [
  organization.organizationCreated,
  organization.organizationUpdated,
  erasure.organizationDeleted,
  erasure.erasureCompleted,
  members.memberAdded,
  members.memberUpdated,
  members.memberRemoved,
  accountMail.accountInvited,
  accountMail.accountResetRequested,
  accountMail.accountWarned,
  accountMail.accountVerificationRequested,
  components.componentCreated,
  components.componentUpdated,
  components.componentDeleted,
  incidents.incidentCreated,
  incidents.incidentUpdated,
  incidents.incidentResolved,
  incidents.incidentReopened,
  incidents.incidentDeleted,
  maintenances.maintenanceScheduled,
  maintenances.maintenanceStarted,
  maintenances.maintenanceUpdated,
  maintenances.maintenanceCompleted,
  maintenances.maintenanceReminder,
  incidents.incidentUpdateOverdue,
  incidentDrafts.incidentDraftCreated,
  incidentDrafts.incidentDraftPublishing,
  incidentDrafts.incidentDraftClosed,
  subscribers.subscriberCreated,
  subscribers.subscriberUpdated,
  subscribers.subscriberImported,
  subscribers.subscriberDeleted,
  erasure.subscriberErased,
  erasure.accountErased,
  subscribers.subscriberUnsubscribed,
  subscribers.subscriberResubscribed,
  subscribers.subscriberQuarantined,
  subscribers.subscriberConfirmationRequested,
  statusPages.statusPageCreated,
  statusPages.statusPageUpdated,
  statusPages.statusPageDeleted,
  sla.slaAtRisk,
  sla.slaBreached,
  sla.slaRecovered,
  sla.slaResponseBreached,
  sla.slaResolutionBreached,
  checks.monitorDown,
  checks.monitorDegraded,
  checks.monitorRecovered,
  checks.checkSummarised,
  checks.certificateExpiring,
  metricQueries.metricSummarised,
  metricQueries.metricQueryCreated,
  metricQueries.metricQueryUpdated,
  metricQueries.metricQueryDeleted,
  integrations.integrationCreated,
  integrations.integrationUpdated,
  integrations.integrationDeleted,
  alertIntakes.alertSignalReceived,
  deliveries.deliverySummarised,
  channels.channelCreated,
  channels.channelUpdated,
  channels.channelDeleted,
  oncall.oncallTriggered,
  oncall.oncallEscalated,
  oncall.oncallAcknowledged,
  oncall.oncallResolved,
  configuration.configurationApplied,
  auditRecorded,
  canarySent,
]

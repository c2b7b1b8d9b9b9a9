/**
 * Public interface of the contract: the resources' schemas, operations and events, and the lists of
 * all operations and all events.
 */
import type { Event } from './event.ts'
import type { Operation } from './operation.ts'
import * as resources from './resources/index.ts'

export * from './alert-templates.ts'
export * from './conditions.ts'
export * from './cooperative-computation.ts'
export * from './error.ts'
export * from './event.ts'
export * from './flapping.ts'
export * from './listing.ts'
export * from './markdown-text.ts'
export * from './negotiation.ts'
export * from './operation.ts'
export type { OutboundError } from './outbound-errors.ts'
export * from './outcome.ts'
export * from './patch.ts'
export * from './permission.ts'
export * from './rate-bucket.ts'
export * from './resources/index.ts'
export * from './rule-issues.ts'
export * from './scalars.ts'
export * from './secret-fields.ts'
export * from './series-range.ts'
export * from './slug.ts'
export * from './target-url.ts'
export * from './view.ts'

/** All operations, in the order of the OpenAPI document. */
export const operations: readonly Operation[] = [
  resources.authOperations,
  resources.passwordOperations,
  resources.emailOperations,
  resources.sessionOperations,
  resources.twoFactorOperations,
  resources.invitationAcceptOperations,
  resources.organizationOperations,
  resources.accountErasureOperations,
  resources.organizationDeletionOperations,
  resources.organizationExportOperations,
  resources.memberOperations,
  resources.invitationOperations,
  resources.roleOperations,
  resources.apiKeyOperations,
  resources.auditOperations,
  resources.eventOperations,
  resources.eventStreamOperations,
  resources.overviewOperations,
  resources.samlOperations,
  resources.domainOperations,
  resources.componentOperations,
  resources.locationOperations,
  resources.agentOperations,
  resources.incidentOperations,
  resources.incidentPreviewOperations,
  resources.maintenanceOperations,
  resources.maintenanceTemplateOperations,
  resources.postmortemOperations,
  resources.incidentTemplateOperations,
  resources.incidentDraftOperations,
  resources.subscriberOperations,
  resources.subscriberErasureOperations,
  resources.subscriptionOperations,
  resources.statusPageOperations,
  resources.uploadOperations,
  resources.publicOperations,
  resources.importOperations,
  resources.sampleDataOperations,
  resources.exportOperations,
  resources.statuspageOperations,
  resources.pageOperations,
  resources.statuspagePathOperations,
  resources.pageLiveOperations,
  resources.pageDomainOperations,
  resources.publishedPageOperations,
  resources.pageSetupOperations,
  resources.accountPageOperations,
  resources.slaOperations,
  resources.notificationChannelOperations,
  resources.deliveryOperations,
  resources.integrationOperations,
  resources.metricQueryOperations,
  resources.alertIntakeOperations,
  resources.oncallScheduleOperations,
  resources.oncallAlertOperations,
  resources.actionLinkOperations,
  resources.configurationOperations,
  resources.variableOperations,
  resources.componentCheckOperations,
  resources.componentValueOperations,
  resources.checkOperations,
  resources.componentHeartbeatOperations,
  resources.heartbeatOperations,
  resources.heartbeatHookOperations,
  resources.componentBatchOperations,
  resources.channelReferenceOperations,
  resources.channelBatchOperations,
  resources.integrationBatchOperations,
  resources.metricOperations,
  resources.audienceOperations,
  resources.pendingDeliveryOperations,
  resources.gitSyncOperations,
  resources.channelHookOperations,
  resources.alertHookOperations,
  resources.gitHookOperations,
].flatMap((group) => Object.values(group as Record<string, Operation>))

const isEvent = (value: unknown): value is Event =>
  typeof value === 'object' && value !== null && 'producers' in value

/** All events that are published. */
export const events: readonly Event[] = Object.values<unknown>(resources).filter(isEvent)

/** The contract: every noun's shape, operations and events, and the two master lists. */
import type { Event } from './event.ts'
import type { Operation } from './operation.ts'
import * as account from './resources/account.ts'
import * as accountMail from './resources/account-mail.ts'
import { apiKeyOperations } from './resources/api-keys.ts'
import { auditRecorded } from './resources/audit.ts'
import { authOperations } from './resources/auth.ts'
import { canarySent } from './resources/canary.ts'
import * as checks from './resources/checks.ts'
import * as components from './resources/components.ts'
import { deliveryOperations } from './resources/deliveries.ts'
import * as incidents from './resources/incidents.ts'
import { memberAdded } from './resources/members.ts'
import { organizationCreated } from './resources/organization.ts'
import { publicOperations } from './resources/public.ts'
import * as statusPages from './resources/status-pages.ts'
import * as subscribers from './resources/subscribers.ts'
import { subscriptionOperations } from './resources/subscriptions.ts'

export * from './conditions.ts'
export * from './error.ts'
export * from './event.ts'
export * from './listing.ts'
export * from './operation.ts'
export * from './outcome.ts'
export * from './patch.ts'
export * from './permission.ts'
export * from './resources/account.ts'
export * from './resources/account-mail.ts'
export * from './resources/api-keys.ts'
export * from './resources/audit.ts'
export * from './resources/auth.ts'
export * from './resources/canary.ts'
export * from './resources/checks.ts'
export * from './resources/components.ts'
export * from './resources/deliveries.ts'
export * from './resources/incidents.ts'
export * from './resources/members.ts'
export * from './resources/organization.ts'
export * from './resources/public.ts'
export * from './resources/status-pages.ts'
export * from './resources/subscribers.ts'
export * from './resources/subscriptions.ts'
export * from './scalars.ts'

/** Every operation, in the order of the document. */
export const operations: readonly Operation[] = [
  authOperations,
  account.twoFactorOperations,
  apiKeyOperations,
  components.componentOperations,
  incidents.incidentOperations,
  subscribers.subscriberOperations,
  subscriptionOperations,
  statusPages.statusPageOperations,
  publicOperations,
  deliveryOperations,
  checks.checkOperations,
].flatMap((group) => Object.values(group as Record<string, Operation>))

/** Every event that travels. */
export const events: readonly Event[] = [
  organizationCreated,
  memberAdded,
  accountMail.accountWarned,
  components.componentCreated,
  components.componentUpdated,
  components.componentDeleted,
  incidents.incidentCreated,
  incidents.incidentUpdated,
  incidents.incidentResolved,
  incidents.incidentReopened,
  incidents.incidentDeleted,
  subscribers.subscriberCreated,
  subscribers.subscriberUpdated,
  subscribers.subscriberDeleted,
  subscribers.subscriberUnsubscribed,
  subscribers.subscriberQuarantined,
  statusPages.statusPageCreated,
  statusPages.statusPageUpdated,
  statusPages.statusPageDeleted,
  checks.monitorDown,
  checks.monitorDegraded,
  checks.monitorRecovered,
  checks.checkSummarised,
  auditRecorded,
  canarySent,
]

/** Composition of core: routes, event handlers and jobs of all features. */

import { catchUpOrganization } from '@status-page/bus'
import {
  type AliasResolver,
  createDnsResolver,
  createOutbound,
  outboundPolicy,
} from '@status-page/outbound'
import { createActionTokens, createAuthenticator, createPasswords } from '@status-page/secrets'
import {
  createErasure,
  erasedAddressHandler,
  keyRotationJob,
  ownHostsOf,
  type Resources,
  type ServiceApp,
  serve,
} from '@status-page/service'
import { actionLinkRoutes } from './action-links/routes.ts'
import { componentBatchRoutes } from './components/batches/routes.ts'
import { checkRoutes } from './components/checks/routes.ts'
import { componentHandlers } from './components/handlers.ts'
import { heartbeatRoutes } from './components/heartbeats/routes.ts'
import { encryptedHeaders } from './components/key-rotation.ts'
import { componentRoutes } from './components/routes.ts'
import type { CoreConfig } from './config.ts'
import { otherDefinitions } from './definitions/changes.ts'
import { definitionRegistry } from './definitions/registry.ts'
import { erasureParts } from './erasure/parts.ts'
import { importRoutes } from './imports/routes.ts'
import { sampleDataRoutes } from './imports/sample/routes.ts'
import { createEndedChecks } from './incidents/automatic/ended-checks.ts'
import { incidentHandlers } from './incidents/automatic/handlers.ts'
import { dependentOutageJob } from './incidents/automatic/jobs.ts'
import { alertSignalHandler } from './incidents/drafts/handlers.ts'
import { incidentDraftJobs } from './incidents/drafts/jobs.ts'
import { incidentDraftRoutes } from './incidents/drafts/routes.ts'
import { overdueUpdateJob } from './incidents/overdue.ts'
import { postmortemRoutes } from './incidents/postmortems/routes.ts'
import { incidentPreviewRoutes } from './incidents/preview.ts'
import { incidentRoutes } from './incidents/routes.ts'
import { incidentTemplateRoutes } from './incidents/templates/routes.ts'
import { integrationHandler } from './integrations/handlers.ts'
import { maintenanceJobs } from './maintenances/jobs.ts'
import { maintenanceRoutes } from './maintenances/routes.ts'
import { maintenanceTemplateRoutes } from './maintenances/templates/routes.ts'
import { alertHandler } from './oncall/alerts/handlers.ts'
import { escalationJob } from './oncall/alerts/jobs.ts'
import { alertRoutes } from './oncall/alerts/routes.ts'
import { channelHandler } from './oncall/channels/handlers.ts'
import { memberHandler } from './oncall/members/handlers.ts'
import { listMembersAfterId } from './oncall/members/store.ts'
import { oncallRetentionJobs } from './oncall/retention/jobs.ts'
import { scheduleRoutes } from './oncall/routes.ts'
import { openWorkMetrics } from './overview/metrics.ts'
import { overviewRoutes } from './overview/routes.ts'
import { slaEvaluationJob } from './sla/jobs.ts'
import { slaRoutes } from './sla/routes.ts'
import { createPageCookie } from './status-pages/access/page-cookie.ts'
import { exportJob } from './status-pages/export/jobs.ts'
import { exportRoutes } from './status-pages/export/routes.ts'
import { parseExportTarget } from './status-pages/export/target.ts'
import { createPreviewImages } from './status-pages/html/preview-image/preview-images.ts'
import { pageRoutes } from './status-pages/html/routes.ts'
import { pageMetricHandler } from './status-pages/metrics/handlers.ts'
import { pageSetupRoutes } from './status-pages/page-setups.ts'
import { publicRoutes } from './status-pages/public/routes.ts'
import { statuspageRoutes } from './status-pages/public/statuspage-routes.ts'
import { statusPageRoutes } from './status-pages/routes.ts'
import { customDomainJob } from './status-pages/settings/jobs.ts'
import { encryptedPagePasswords } from './status-pages/settings/key-rotation.ts'
import { subscriptionCleanupJob } from './status-pages/subscriptions/jobs.ts'
import { subscriptionRoutes } from './status-pages/subscriptions/routes.ts'
import { subscriberErasureRoutes } from './subscribers/erase.ts'
import { subscriberHandlers } from './subscribers/handlers.ts'
import { incidentSubscriptionJob } from './subscribers/jobs.ts'
import { encryptedConfirmations, encryptedSubscribers } from './subscribers/key-rotation.ts'
import { subscriberRoutes } from './subscribers/routes.ts'
import { createImageConverter } from './uploads/images/converter.ts'
import { uploadRoutes } from './uploads/routes.ts'
import { vendorStatusHandler } from './vendors/handlers.ts'

/** DNS resolver; tests inject their own. */
export type CoreResources = Resources<CoreConfig> & { resolver?: AliasResolver }

export const buildApp = (resources: CoreResources): ServiceApp => {
  const { OUTBOUND_ALLOW_CIDRS: allowCidrs, BASE_URL: baseUrl } = resources.config
  const policy = outboundPolicy({ allowCidrs, ownHosts: ownHostsOf(resources.config) })
  const outbound = createOutbound({ policy })
  const deps = {
    ...resources,
    ...pageDeps(resources),
    outbound,
    baseUrl,
    policy,
    ...serviceClients(resources),
    ...scheduleProjections(resources),
    endedChecks: createEndedChecks({ baseUrl }),
  }
  const routes = [
    ...componentRoutes(deps),
    ...componentBatchRoutes({ ...deps, ...batchDeps(deps) }),
    ...checkRoutes(deps),
    ...heartbeatRoutes(deps),
    ...incidentRoutes(deps),
    ...incidentPreviewRoutes(deps),
    ...postmortemRoutes(deps),
    ...incidentTemplateRoutes,
    ...incidentDraftRoutes(deps),
    ...maintenanceRoutes(deps),
    ...maintenanceTemplateRoutes,
    ...subscriberRoutes(deps),
    ...subscriberErasureRoutes(deps),
    ...subscriptionRoutes(deps),
    ...importRoutes(deps),
    ...sampleDataRoutes(deps),
    ...exportRoutes(deps),
    ...statusPageRoutes(deps),
    ...pageSetupRoutes(deps),
    ...uploadRoutes(deps),
    ...publicRoutes(deps),
    ...statuspageRoutes(deps),
    ...pageRoutes(deps),
    ...slaRoutes,
    ...scheduleRoutes(deps),
    ...alertRoutes(),
    ...actionLinkRoutes(deps),
    ...overviewRoutes(deps),
  ]
  const exportUrl = resources.config.STATIC_EXPORT_URL
  const erasure = createErasure(resources, erasureParts(exportUrl !== undefined))
  const handlers = [...eventHandlers(deps), erasure.handler, erasedAddressHandler(resources)]
  const jobs = [
    erasure.job,
    overdueUpdateJob(deps),
    dependentOutageJob(deps),
    openWorkMetrics(resources.metrics, resources.database),
    ...incidentDraftJobs(deps),
    customDomainJob(deps),
    slaEvaluationJob(resources.database),
    escalationJob(resources),
    ...oncallRetentionJobs(resources),
    ...maintenanceJobs(deps),
    subscriptionCleanupJob(resources.database),
    incidentSubscriptionJob(deps),
    ...exportJobs(exportUrl, deps),
    keyRotationJob({ ...resources, sources: encryptedSources(resources) }),
  ]
  return {
    http: serve({ ...resources, routes }),
    eventHandlers: handlers,
    jobs,
    background: [{ start: async () => {}, stop: () => outbound.close() }],
  }
}

/** Dependencies of batches, which change resources of several features. */
const batchDeps = (deps: Parameters<typeof definitionRegistry>[0]) => ({
  definitions: otherDefinitions(definitionRegistry(deps)),
  listMembers: listMembersAfterId,
})

const eventHandlers = (deps: Parameters<typeof incidentHandlers>[0]) => [
  ...componentHandlers,
  ...incidentHandlers(deps),
  ...subscriberHandlers,
  memberHandler,
  channelHandler,
  integrationHandler,
  pageMetricHandler,
  alertSignalHandler(deps),
  vendorStatusHandler(deps),
  alertHandler,
]

/** Empty when no export target is configured. */
const exportJobs = (
  url: string | undefined,
  deps: Omit<Parameters<typeof exportJob>[0], 'target'>,
) => (url === undefined ? [] : [exportJob({ ...deps, target: parseExportTarget(url) })])

/** Tables with encrypted values, for key rotation. */
const encryptedSources = (resources: CoreResources) => [
  encryptedHeaders(resources),
  encryptedPagePasswords(resources),
  encryptedSubscribers(resources),
  encryptedConfirmations(resources),
]

/** Clients of the services that core calls. */
const serviceClients = ({ client, database, logger }: CoreResources) => ({
  monitor: client('monitor'),
  notifier: client('notifier'),
  integrations: client('integrations'),
  areIntegrationsUpToDate: catchUpOrganization({
    database,
    handler: integrationHandler,
    type: 'integration',
    logger,
  }),
})

const scheduleProjections = ({ database, logger }: CoreResources) => {
  const deps = { database, logger }
  const channel = { ...deps, handler: channelHandler, type: 'notification-channel' }
  return {
    areMembersUpToDate: catchUpOrganization({
      ...deps,
      handler: memberHandler,
      type: 'member',
    }),
    areChannelsUpToDate: catchUpOrganization(channel),
  }
}

/** Dependencies of status pages: cookies, passwords, DNS and images. */
const pageDeps = ({ config, resolver = createDnsResolver() }: CoreResources) => {
  const { BASE_URL: baseUrl, ENCRYPTION_KEY: current } = config
  const keys = { current, previous: config.ENCRYPTION_KEY_PREVIOUS ?? null }
  return {
    ownHost: new URL(baseUrl).hostname,
    resolver,
    passwords: createPasswords(),
    previewImages: createPreviewImages(),
    images: createImageConverter(),
    tokens: createActionTokens(keys),
    erasedAddress: createAuthenticator(keys, 'erased-address'),
    cookie: createPageCookie({ authenticator: createAuthenticator(keys, 'page-access'), baseUrl }),
  }
}

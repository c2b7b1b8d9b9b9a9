/** Composition of the notifier: routes, event handlers, jobs and metrics. */
import type { Static } from '@sinclair/typebox'
import { catchUpAggregates, catchUpOrganization } from '@status-page/bus'
import { deliveryOperations } from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { asWorker } from '@status-page/postgres'
import { createActionTokens } from '@status-page/secrets'
import {
  createErasure,
  createRoutes,
  erasedAddressHandler,
  keyRotationJob,
  ownHostsOf,
  type Resources,
  type ServiceApp,
  serve,
} from '@status-page/service'
import { accountHandlers } from './accounts/handlers.ts'
import { alertHandler } from './alerts/handlers.ts'
import { audienceRoutes } from './audience-preview/routes.ts'
import { audienceHandler } from './audiences/handlers.ts'
import { encryptedDestinations } from './audiences/key-rotation.ts'
import { canaryHandler } from './canaries/handlers.ts'
import { canaryWatch } from './canaries/watch.ts'
import { createSenders } from './channels/senders.ts'
import { unblockTransports } from './channels/shared-transports.ts'
import type { config } from './config.ts'
import { confirmationHandler } from './confirmations/handlers.ts'
import { DELIVERIES_DUE } from './deliveries/fan-out/fan-out.ts'
import { flapSummaryJob } from './deliveries/fan-out/flaps.ts'
import { deliveryHandlers } from './deliveries/fan-out/handlers.ts'
import { CONNECTIONS_PER_HOST, deliveryJobNames, deliveryJobs } from './deliveries/jobs.ts'
import { encryptedEvents } from './deliveries/key-rotation.ts'
import { multiplyLimit, type NotifyLimits } from './deliveries/limits/rate.ts'
import { pendingDeliveryRoutes } from './deliveries/pending.ts'
import { deliveryMetrics } from './deliveries/record/metrics.ts'
import { summaryJob } from './deliveries/record/summary.ts'
import { deliveryRoutes } from './deliveries/routes.ts'
import { addressErasure } from './erasure/addresses.ts'
import { erasureParts } from './erasure/parts.ts'
import { hookRoutes } from './inbound-hooks/routes.ts'
import { memberHandler } from './members/handlers.ts'
import { channelBatchRoutes } from './notification-channels/batches/routes.ts'
import { encryptedChannels } from './notification-channels/key-rotation.ts'
import { channelReferenceRoutes } from './notification-channels/references.ts'
import { channelRoutes } from './notification-channels/routes.ts'
import { suppressionJob } from './suppressions/jobs.ts'

export type NotifierConfig = Static<typeof config>

export const buildApp = (resources: Resources<NotifierConfig>): ServiceApp => {
  const { config, database, sealer, logger } = resources
  const policy = outboundPolicy({
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    ownHosts: ownHostsOf(config),
  })
  const outbound = createOutbound({ policy, connectionsPerHost: CONNECTIONS_PER_HOST })
  const copies = { database, handler: audienceHandler, logger }
  const baseUrl = config.BASE_URL
  const { meter, metricsJob } = deliveryMetrics(resources.metrics, database)
  const senders = createSenders({ outbound, settings: config, logger, meter })
  const channels = channelRoutes({
    sealer,
    policy,
    senders,
    baseUrl,
    isUpToDate: catchUpOrganization({ ...copies, type: 'component' }),
  })
  const routes = [
    ...channels,
    ...channelReferenceRoutes,
    ...channelBatchRoutes({ sealer, policy }),
    ...createRoutes(deliveryOperations, deliveryRoutes(limitsOf(config))),
    ...pendingDeliveryRoutes,
    ...hookRoutes({ database, sealer, baseUrl }),
    ...audienceRoutes({ limits: limitsOf(config), multiplier: config.RATE_LIMIT_MULTIPLIER }),
  ]
  const erasure = createErasure(resources, erasureParts)
  return {
    http: serve({ ...resources, routes }),
    eventHandlers: [
      ...eventHandlers,
      erasure.handler,
      erasedAddressHandler({ ...resources, eraseOwn: addressErasure(resources) }),
    ],
    jobs: [
      ...deliveryJobs({
        database,
        sealer,
        actionTokens: createActionTokens({
          current: config.ENCRYPTION_KEY,
          previous: config.ENCRYPTION_KEY_PREVIOUS ?? null,
        }),
        senders,
        limits: limitsOf(config),
        multiplier: config.RATE_LIMIT_MULTIPLIER,
        meter,
        baseUrl,
        catchUpAggregates: catchUpAggregates({ ...copies, type: 'subscriber' }),
        logger,
      }),
      erasure.job,
      summaryJob(database),
      suppressionJob(database),
      canaryWatch(resources),
      flapSummaryJob(database),
      metricsJob,
      keyRotationJob({ sealer, logger, sources: encryptedSources(resources) }),
    ],
    wakeOn: { [DELIVERIES_DUE]: deliveryJobNames },
    prepare: () => asWorker(database, unblockTransports),
    background: [{ start: async () => {}, stop: () => outbound.close() }],
  }
}

const eventHandlers = [
  audienceHandler,
  memberHandler,
  canaryHandler,
  ...accountHandlers,
  confirmationHandler,
  alertHandler,
  ...deliveryHandlers,
]

/** Sources of all encrypted data in the notifier, for key rotation. */
const encryptedSources = (resources: Resources<NotifierConfig>) => [
  encryptedDestinations(resources),
  encryptedEvents(resources),
  encryptedChannels(resources),
]

const limitsOf = (config: NotifierConfig): NotifyLimits => {
  const times = (perMinute: number) => multiplyLimit(perMinute, config.RATE_LIMIT_MULTIPLIER)
  return {
    perChannel: times(config.NOTIFY_CHANNEL_PER_MINUTE),
    perSubscriber: times(config.NOTIFY_SUBSCRIBER_PER_MINUTE),
    webhookPerSubscriber: times(config.NOTIFY_WEBHOOK_SUBSCRIBER_PER_MINUTE),
    webhookPerOrganization: times(config.NOTIFY_WEBHOOK_ORGANIZATION_PER_MINUTE),
    global: times(config.NOTIFY_GLOBAL_PER_MINUTE),
  }
}

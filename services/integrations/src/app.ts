/** Composition of integrations: routes, event handlers, jobs and the poller. */
import type { Static } from '@sinclair/typebox'
import { catchUpOrganization } from '@status-page/bus'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import {
  createErasure,
  erasedAddressHandler,
  keyRotationJob,
  ownHostsOf,
  type Resources,
  type ServiceApp,
  scheduleMetrics,
  serve,
} from '@status-page/service'
import { alertSignalJobs } from './alerts/jobs.ts'
import { alertRoutes } from './alerts/routes.ts'
import type { config } from './config.ts'
import { erasureParts } from './erasure/parts.ts'
import { integrationBatchRoutes } from './integrations/batches/routes.ts'
import { sealedIntegrationSecrets } from './integrations/key-rotation.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { componentEventHandler } from './metrics/handlers.ts'
import { Poller } from './metrics/jobs.ts'
import { maintenanceEventHandler } from './metrics/maintenance-suppression.ts'
import { metricQueryRoutes, metricRoutes } from './metrics/routes.ts'
import { createSummariesByKind } from './metrics/summary.ts'
import { createMetricsClient } from './platforms/metrics-client.ts'

export type IntegrationsConfig = Static<typeof config>

export const buildApp = (resources: Resources<IntegrationsConfig>): ServiceApp => {
  const { config, database, sealer, logger, metrics } = resources
  const policy = outboundPolicy({
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    ownHosts: ownHostsOf(config),
  })
  const outbound = createOutbound({ policy })
  const metricsClient = createMetricsClient({ outbound })
  const summaries = createSummariesByKind(database)
  const poller = new Poller({
    database,
    metricsClient,
    sealer,
    logger,
    ...scheduleMetrics(metrics, 'integrations', scheduleHelp),
    valueRetentionDays: config.CHECK_RETENTION_DAYS,
    onStored: (row, kind) => summaries[kind].add(row),
  })
  metrics.watch('polls', () => poller.gauges(), pollMetricHelp)
  const areComponentsUpToDate = catchUpOrganization({
    database,
    handler: componentEventHandler,
    type: 'component',
    logger,
  })
  const baseUrl = config.BASE_URL
  const deps = { database, sealer, policy, metricsClient, areComponentsUpToDate, baseUrl }
  const erasure = createErasure(resources, erasureParts)
  return {
    http: serve({
      ...resources,
      routes: [
        ...integrationRoutes(deps),
        ...integrationBatchRoutes(deps),
        ...metricQueryRoutes(deps),
        ...metricRoutes(deps),
        ...alertRoutes(deps),
      ],
    }),
    eventHandlers: [
      componentEventHandler,
      maintenanceEventHandler,
      erasure.handler,
      erasedAddressHandler(resources),
    ],
    jobs: [
      ...poller.jobs,
      summaries.component.job,
      summaries.query.job,
      erasure.job,
      ...alertSignalJobs(database),
      keyRotationJob({ sealer, logger, sources: [sealedIntegrationSecrets(resources)] }),
    ],
    background: [
      {
        start: () => poller.start(),
        async stop() {
          await poller.stop()
          await outbound.close()
        },
      },
    ],
  }
}

/** Help texts of the scheduler's gauges. */
const pollMetricHelp = {
  inFlight: 'Metric queries in flight',
  hanging: 'Metric queries in flight that wait for a slow response',
  waiting: 'Metric queries due and queued',
  buffered: 'Results that wait to be stored',
  metrics: 'Metrics scheduled on this replica',
  shards: 'Shards leased by this replica',
}

const scheduleHelp = {
  lag: 'Time from the due time of a poll to its start',
  skipped: 'Slots without a poll, by reason; they count as no data',
}

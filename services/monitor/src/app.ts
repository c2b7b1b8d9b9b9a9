/** Composition of the monitor: routes, event handlers, jobs and the scheduler of checks. */
import type { Static } from '@sinclair/typebox'
import { catchUpOrganization } from '@status-page/bus'
import { DEFAULT_LOCATION } from '@status-page/contracts'
import { checkUrl, createOutbound, type Outbound, outboundPolicy } from '@status-page/outbound'
import { canaryProbe, createRunProbe } from '@status-page/probes'
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
import { CheckScheduler } from './checks/jobs.ts'
import { checkRoutes } from './checks/routes.ts'
import { createSummaryPublisher } from './checks/series/summaries.ts'
import type { config } from './config.ts'
import { createRdapClient } from './domains/rdap.ts'
import { createDomainRegistrations } from './domains/registrations.ts'
import { erasureParts } from './erasure/parts.ts'
import { heartbeatJob } from './heartbeats/jobs.ts'
import { heartbeatRoutes } from './heartbeats/routes.ts'
import { heartbeatPart } from './heartbeats/target-part.ts'
import { agentRoutes } from './locations/agent-routes.ts'
import { staleLocationsJob } from './locations/jobs.ts'
import { locationRoutes } from './locations/routes.ts'
import { targetEventHandler } from './targets/handlers.ts'
import { sealedTargetHeaders } from './targets/key-rotation.ts'
import { maintenanceEventHandler } from './targets/maintenance-suppression.ts'
import { vendorPageHandler } from './vendors/handlers.ts'
import { VendorPoller } from './vendors/poller.ts'
import { vendorReportJobs } from './vendors/publisher.ts'
import { createVendorReader } from './vendors/reader.ts'

export type MonitorConfig = Static<typeof config>

export const buildApp = (resources: Resources<MonitorConfig>): ServiceApp => {
  const { config, database, sealer, logger, metrics } = resources
  const { MONITOR_LOCATION: location, MONITOR_CANARY_URLS: canaries } = config
  const policy = outboundPolicy({
    allowCidrs: config.OUTBOUND_ALLOW_CIDRS,
    ownHosts: ownHostsOf(config),
  })
  for (const url of canaries) {
    const verdict = checkUrl(url, policy)
    if (!verdict.ok) throw new Error(`MONITOR_CANARY_URLS: ${url}: ${verdict.message}`)
  }
  const outbound = createOutbound({ policy })
  const summaries = createSummaryPublisher(database)
  const now = () => scheduler.shards.now()
  const rdap = createRdapClient({ outbound, bootstrapUrl: config.RDAP_BOOTSTRAP_URL, now })
  const registrations = createDomainRegistrations(database, rdap)
  const runProbe = createRunProbe({ outbound, sealer, registrations, now })
  const scheduler = new CheckScheduler({
    database,
    runProbe,
    logger,
    location,
    canPing: outbound.canPing,
    checkRetentionDays: config.CHECK_RETENTION_DAYS,
    onStored: summaries.add,
    ...(canaries.length === 0 ? {} : { probeCanaries: canaryProbe(outbound, canaries) }),
    ...scheduleMetrics(metrics, 'monitor', scheduleHelp),
  })
  const vendors = createVendorPoller(resources, outbound, scheduler)
  metrics.watch('checks', () => scheduler.gauges(), checkMetricHelp)
  const erasure = createErasure(resources, erasureParts)
  const targetHandler = targetEventHandler(heartbeatPart)
  return {
    http: serve({
      ...resources,
      routes: [
        ...checkRoutes({
          database,
          runProbe,
          location,
          onStored: summaries.add,
          isNetworkLost: () => scheduler.isNetworkLost(),
        }),
        ...heartbeatRoutes({ database, logger, onStored: summaries.add }),
        ...locationRoutes({
          areTargetsUpToDate: catchUpOrganization({
            database,
            handler: targetHandler,
            type: 'component',
            logger,
          }),
        }),
        ...agentRoutes({ database, sealer, onStored: summaries.add }),
      ],
    }),
    eventHandlers: [
      targetHandler,
      maintenanceEventHandler,
      vendorPageHandler,
      erasure.handler,
      erasedAddressHandler(resources),
    ],
    jobs: [
      ...scheduler.jobs,
      ...(location === DEFAULT_LOCATION
        ? [
            heartbeatJob({ database, shards: scheduler.shards, onStored: summaries.add }),
            vendors.job,
            ...vendorReportJobs(database),
          ]
        : []),
      staleLocationsJob({ database }),
      summaries.job,
      erasure.job,
      keyRotationJob({ sealer, logger, sources: [sealedTargetHeaders(resources)] }),
    ],
    background: [
      {
        start: () => scheduler.start(),
        async stop() {
          await vendors.stop()
          await scheduler.stop()
          await outbound.close()
        },
      },
    ],
  }
}

/** The poller reads the pages of the shards that the scheduler holds. */
const createVendorPoller = (
  { database, logger, metrics }: Resources<MonitorConfig>,
  outbound: Outbound,
  scheduler: CheckScheduler,
): VendorPoller => {
  const { shards } = scheduler
  const poller = new VendorPoller({
    database,
    reader: createVendorReader({ outbound, now: () => shards.now() }),
    shards,
    logger,
    isNetworkLost: () => scheduler.isNetworkLost(),
  })
  metrics.watch('vendor_pages', () => poller.gauges(), vendorMetricHelp)
  return poller
}

/** Help texts of the scheduler's gauges. */
const checkMetricHelp = {
  inFlight: 'Checks in flight',
  hanging: 'Checks in flight that wait for a slow response',
  waiting: 'Checks due and queued',
  buffered: 'Results that wait to be stored',
  targets: 'Monitored targets scheduled on this replica',
  shards: 'Shards leased by this replica',
}

const vendorMetricHelp = {
  inFlight: 'Polls of status pages of vendors in flight',
  waiting: 'Status pages of vendors due and queued',
}

const scheduleHelp = {
  lag: 'Time from the due time of a check to its start',
  skipped: 'Slots without a check, by reason; they count as no data',
}

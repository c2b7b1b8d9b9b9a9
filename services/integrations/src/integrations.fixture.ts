/** Integrations for tests: real Postgres, platforms on loopback over TLS, a manual clock. */
import { catchUpOrganization, memoryBus } from '@status-page/bus'
import {
  type ComponentEventData,
  componentCreated,
  componentDeleted,
  componentUpdated,
  draftEvent,
  type Event,
  type EventDraft,
  integrationOperations,
  metricQueryOperations,
  systemActor,
} from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { connect, newId, transact } from '@status-page/postgres'
import { createSealer } from '@status-page/secrets'
import { createLogger, serve } from '@status-page/service'
import {
  eventually,
  httpTarget,
  inject,
  LONG_LEASES,
  type ManualClock,
  selfSignedCertificate,
  testCaller,
  testDatabase,
  testKeys,
} from '@status-page/testing'
import type { Test } from 'tap'
import { alertRoutes } from './alerts/routes.ts'
import { integrationRoutes } from './integrations/routes.ts'
import { componentEventHandler } from './metrics/handlers.ts'
import { Poller, type PollerOptions } from './metrics/jobs.ts'
import { maintenanceEventHandler } from './metrics/maintenance-suppression.ts'
import { metricQueryRoutes, metricRoutes } from './metrics/routes.ts'
import { createMetricsClient } from './platforms/metrics-client.ts'

export { manualClock } from '@status-page/testing'

export const logger = createLogger({ service: 'integrations', level: 'silent' })
export const FORMER_KEY = '0123456789abcdef0123456789abcdef'
export const testSealer = createSealer({ current: FORMER_KEY })

/** Certificate shared by all servers of a file; its name is the loopback address. */
export const loopbackTls = selfSignedCertificate(['127.0.0.1'])

/** Outbound client that reaches loopback only and trusts the test servers. */
export const loopbackOutbound = (t: Test, allowCidrs = ['127.0.0.0/8']) => {
  const policy = outboundPolicy({ allowCidrs, ownHosts: [] })
  const outbound = createOutbound({ policy, extraAuthorities: [loopbackTls.cert] })
  t.teardown(() => outbound.close())
  return { policy, outbound }
}

const SECOND_MS = 1000

/** Prometheus double that returns one value for any query; null means an unknown series. */
export const fakePrometheus = async (t: Test) => {
  let value: string | null = '1'
  const target = await httpTarget(
    t,
    ({ url }) => {
      if (url.includes('query=broken')) return { status: 400, body: '{"status":"error"}' }
      const series = { metric: {}, value: [Date.now() / SECOND_MS, value] }
      const result = value === null ? [] : [series]
      const data = { resultType: 'vector', result }
      return { body: JSON.stringify({ status: 'success', data }) }
    },
    loopbackTls,
  )
  return {
    ...target,
    say(next: number | string | null) {
      value = next === null ? null : String(next)
    },
  }
}

export const metricComponent = (
  integrationId: string,
  given: Partial<NonNullable<ComponentEventData['metric']>> = {},
): ComponentEventData => ({
  id: newId(),
  name: 'Queue',
  type: 'METRIC',
  isEnabled: true,
  isMuted: false,
  parentComponentId: null,
  ancestorIds: [],
  endpoint: null,
  metric: {
    integrationId,
    query: 'queue_depth',
    pollingInterval: 60,
    warningThreshold: 100,
    criticalThreshold: 500,
    ...given,
  },
})

const componentKinds: Record<'created' | 'updated' | 'deleted', typeof componentCreated> = {
  created: componentCreated,
  updated: componentUpdated as Event as typeof componentCreated,
  deleted: componentDeleted as Event as typeof componentCreated,
}

export const stage = async (t: Test) => {
  const databases = await testDatabase(t, { services: ['core', 'integrations'] })
  const [core, database] = await Promise.all([
    databases.database('core'),
    databases.database('integrations'),
  ])
  const { outbound, policy } = loopbackOutbound(t)
  const metricsClient = createMetricsClient({ outbound })
  const bus = memoryBus([
    { database: core, eventHandlers: [] },
    { database, eventHandlers: [componentEventHandler, maintenanceEventHandler] },
  ])
  const areComponentsUpToDate = catchUpOrganization({
    database,
    handler: componentEventHandler,
    type: 'component',
    logger,
  })
  const deps = {
    database,
    sealer: testSealer,
    policy,
    metricsClient,
    areComponentsUpToDate,
    baseUrl: 'https://status.test',
  }
  const app = serve({
    service: 'integrations',
    database,
    verifier: testKeys().verifier('integrations'),
    routes: [
      ...integrationRoutes(deps),
      ...metricQueryRoutes(deps),
      ...metricRoutes(deps),
      ...alertRoutes(deps),
    ],
  })
  t.teardown(() => app.close())
  const admin = await connect({ url: databases.adminUrl, service: 'integrations', max: 2 })
  t.teardown(() => admin.close())
  const caller = testCaller()
  const { organizationId } = caller
  /** Publishes events of core and waits until all handlers have run. */
  const state = async (...events: EventDraft[]) => {
    await transact(core, { organizationId, actor: systemActor }, async () => ({
      result: undefined,
      events,
      audit: [],
    }))
    await bus.drain()
  }
  return {
    app,
    database,
    metricsClient,
    caller,
    organizationId,
    bus,
    state,
    adminUrl: databases.adminUrl,
    url: databases.url('integrations'),
    /** Client that reads rows of all organizations. */
    sql: admin.batchSql,
    publishComponent: (
      verb: keyof typeof componentKinds,
      component: ComponentEventData,
      version: number,
    ) => state(draftEvent(componentKinds[verb], { id: component.id, version }, { component })),
    create: (body: unknown) => inject(app, integrationOperations.create, { caller, body }),
    read: (id: string) => inject(app, integrationOperations.read, { caller, params: { id } }),
    update: (id: string, body: unknown) =>
      inject(app, integrationOperations.update, { caller, params: { id }, body }),
    remove: (id: string) => inject(app, integrationOperations.remove, { caller, params: { id } }),
    test: (id: string) => inject(app, integrationOperations.test, { caller, params: { id } }),
    query: (
      name: keyof typeof metricQueryOperations,
      params: { id: string; queryId?: string },
      rest: { body?: unknown; query?: Record<string, unknown> } = {},
    ) => inject(app, metricQueryOperations[name], { caller, params: { ...params }, ...rest }),
    /** Returns the published monitor.* events, oldest first. */
    publishedEvents: async () => {
      const rows = await admin.batchSql<{ kind: string; payload: { monitor: object } }[]>`
        SELECT kind, payload FROM integrations.outbox WHERE kind LIKE 'monitor.%' ORDER BY seq`
      return rows.map(({ kind, payload }) => ({ kind, ...payload.monitor }))
    },
  }
}

export type Stage = Awaited<ReturnType<typeof stage>>

/** Starts a replica whose slots use `clock`; its leases use the database's clock. */
export const startPoller = async (
  t: Test,
  { database, metricsClient }: Pick<Stage, 'database' | 'metricsClient'>,
  clock: ManualClock,
  given: Partial<PollerOptions> = {},
): Promise<Poller> => {
  const poller = new Poller({
    database,
    metricsClient,
    sealer: testSealer,
    logger,
    clock,
    leases: LONG_LEASES,
    valueRetentionDays: 30,
    onStored: () => {},
    onSkipped: () => {},
    onLag: () => {},
    ...given,
  })
  t.teardown(() => poller.stop())
  await poller.start()
  // Ensures that the metrics of its shards are loaded.
  await poller.compare()
  return poller
}

/** Advances the clock and waits until the due polls are stored. */
export const pass = async (clock: ManualClock, poller: Poller, ms: number): Promise<void> => {
  clock.advance(ms)
  await eventually(() => {
    const { inFlight, waiting } = poller.gauges()
    return inFlight + waiting === 0
  })
  await poller.flush()
}

/** Monitor for tests: real Postgres, real requests to local targets, a manual clock. */

import { memoryBus } from '@status-page/bus'
import {
  type ComponentEventData,
  componentCreated,
  componentDeleted,
  componentUpdated,
  draftEvent,
  type Event,
  type ProbeResult,
  systemActor,
} from '@status-page/contracts'
import { connect, type Database, newId, transact } from '@status-page/postgres'
import { noTimings } from '@status-page/probes'
import { localProbe, testSealer } from '@status-page/probes/fixture'
import { createLogger } from '@status-page/service'
import {
  eventually,
  LONG_LEASES,
  type ManualClock,
  manualClock,
  testDatabase,
} from '@status-page/testing'
import { CheckScheduler, type CheckSchedulerOptions } from './checks/jobs.ts'
import { heartbeatPart } from './heartbeats/target-part.ts'
import { targetEventHandler } from './targets/handlers.ts'
import { maintenanceEventHandler } from './targets/maintenance-suppression.ts'
import { vendorPageHandler } from './vendors/handlers.ts'

export { localProbe, manualClock, testSealer }

/** Part of a test that registers clean-up. */
interface Teardown {
  teardown(work: () => unknown): void
}

export const LOCATION = 'default'
export const logger = createLogger({ service: 'monitor', level: 'silent' })

/** Result of a successful check by HTTP. */
export const successfulProbe = (checkedAtMs: number): ProbeResult => ({
  status: 'SUCCESS',
  statusCode: 200,
  responseMs: 1,
  error: null,
  conditionResults: [],
  checkedAtMs,
  timings: noTimings,
  certificateExpiresAt: null,
})

export type EndpointData = NonNullable<ComponentEventData['endpoint']>

export type HttpEndpoint = Extract<EndpointData, { kind: 'http' }>

export const endpoint = (url: string, given: Partial<HttpEndpoint> = {}): EndpointData => ({
  kind: 'http',
  url,
  method: 'GET',
  headers: [],
  body: null,
  checkInterval: 60,
  timeout: 2000,
  conditions: [],
  failureThreshold: 3,
  recoveryThreshold: 2,
  ...given,
})

export const component = (given: Partial<ComponentEventData> = {}): ComponentEventData => ({
  id: newId(),
  name: 'API',
  type: 'ENDPOINT',
  isEnabled: true,
  isMuted: false,
  parentComponentId: null,
  ancestorIds: [],
  endpoint: null,
  ...given,
})

export const setup = async (t: Teardown) => {
  const databases = await testDatabase(t, { services: ['core', 'monitor'] })
  const [core, database] = await Promise.all([
    databases.database('core'),
    databases.database('monitor'),
  ])
  const eventHandlers = [
    targetEventHandler(heartbeatPart),
    maintenanceEventHandler,
    vendorPageHandler,
  ]
  const bus = memoryBus([
    { database: core, eventHandlers: [] },
    { database, eventHandlers },
  ])
  const kinds: Record<'created' | 'updated' | 'deleted', typeof componentCreated> = {
    created: componentCreated,
    updated: componentUpdated as Event as typeof componentCreated,
    deleted: componentDeleted as Event as typeof componentCreated,
  }
  return {
    database,
    core,
    adminUrl: databases.adminUrl,
    /** URL of the monitor's own role. */
    url: databases.url('monitor'),
    bus,
    /** Publishes a component event of core and waits until the monitor has handled it. */
    async publishComponent(
      organizationId: string,
      verb: keyof typeof kinds,
      component: ComponentEventData,
      version: number,
    ) {
      await transact(core, { organizationId, actor: systemActor }, async () => ({
        result: undefined,
        events: [draftEvent(kinds[verb], { id: component.id, version }, { component })],
        audit: [],
      }))
      await bus.drain()
    },
  }
}

/** Client that reads rows of all organizations. */
export const adminOf = async (t: Teardown, url: string) => {
  const database = await connect({ url, service: 'monitor', max: 2 })
  t.teardown(() => database.close())
  return database.batchSql
}

/** Starts a replica whose slots use `clock`; its leases use the database's clock. */
export const startReplica = async (
  t: Teardown,
  database: Database,
  clock: ManualClock,
  given: Partial<CheckSchedulerOptions> = {},
): Promise<CheckScheduler> => {
  const scheduler = new CheckScheduler({
    database,
    logger,
    clock,
    leases: LONG_LEASES,
    runProbe: localProbe(clock.now),
    location: LOCATION,
    canPing: async () => false,
    checkRetentionDays: 30,
    onStored: () => {},
    onSkipped: () => {},
    onLag: () => {},
    ...given,
  })
  t.teardown(() => scheduler.stop())
  await scheduler.start()
  // Ensures that the targets of its shards are loaded.
  await scheduler.compare()
  return scheduler
}

/** Advances the clock and waits until the due checks are stored. */
export const pass = async (clock: ManualClock, replicas: readonly CheckScheduler[], ms: number) => {
  clock.advance(ms)
  await eventually(() =>
    replicas.every((replica) => {
      const { inFlight, waiting } = replica.gauges()
      return inFlight + waiting === 0
    }),
  )
  await Promise.all(replicas.map((replica) => replica.flush()))
}

/** Waits until each replica has loaded the last event: the notification follows the commit. */
export const pickedUp = (replicas: readonly CheckScheduler[]) =>
  eventually(async () => {
    const missing = await Promise.all(replicas.map((replica) => replica.compare()))
    return missing.every((count) => count === 0)
  })

/** Creates an organization on an empty Postgres, with queries of its rows. */
export const monitorOf = async (t: Teardown) => {
  const parts = await setup(t)
  const sql = await adminOf(t, parts.adminUrl)
  return {
    ...parts,
    organizationId: newId(),
    clock: manualClock(),
    sql,
    checksOf: (componentId: string) => sql<{ status: string; slot_at: Date }[]>`
      SELECT status, slot_at FROM monitor.checks WHERE component_id = ${componentId}
      ORDER BY slot_at`,
    publishedEvents: () => sql<{ kind: string; aggregate_version: number; payload: unknown }[]>`
      SELECT kind, aggregate_version, payload FROM monitor.outbox
      WHERE kind LIKE 'monitor.%' ORDER BY seq`,
  }
}

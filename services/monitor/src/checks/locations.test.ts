/** Several locations combine to one verdict; each certificate is warned about once. */

import type { ComponentEventData } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { noTimings, type RunProbe } from '@status-page/probes'
import { eventually, testDatabase } from '@status-page/testing'
import t, { type Test } from 'tap'
import {
  adminOf,
  component,
  endpoint,
  type HttpEndpoint,
  manualClock,
  pass,
  pickedUp,
  setup,
  startReplica,
} from '../monitor.fixture.ts'
import type { CheckScheduler } from './jobs.ts'

// Keeps the test server running for the whole file; releasing the last database stops it.
await testDatabase(t, { services: [] })

const MINUTE = 60_000
const DAY = 24 * 60 * MINUTE

const world = async (t: Test, locations: string[], given: Partial<HttpEndpoint> = {}) => {
  const parts = await setup(t)
  const clock = manualClock()
  const organizationId = newId()
  const sql = await adminOf(t, parts.adminUrl)
  /** Response of the target by location, and the certificate that it presents. */
  const responses = new Map<string, boolean>(locations.map((location) => [location, true]))
  const shown: { expiresAt: number | null; inUs?: number } = { expiresAt: null }
  const slow: { until: Promise<void> | null } = { until: null }
  const probeAt =
    (location: string): RunProbe =>
    async () => {
      await slow.until
      const isUp = responses.get(location) ?? true
      const end = location === 'us' ? (shown.inUs ?? shown.expiresAt) : shown.expiresAt
      return {
        status: isUp ? 'SUCCESS' : 'ERROR',
        statusCode: isUp ? 200 : null,
        responseMs: 5,
        error: isUp ? null : 'connect_error',
        conditionResults: [],
        timings: noTimings,
        checkedAtMs: clock.now(),
        certificateExpiresAt: end === null ? null : new Date(end).toISOString(),
      }
    }
  const api = component({
    endpoint: endpoint('http://a.example.com/', {
      failureThreshold: 2,
      recoveryThreshold: 1,
      locations,
      ...given,
    }),
  })
  await parts.publishComponent(organizationId, 'created', api, 1)
  const replicas = await Promise.all(
    (locations.length === 0 ? ['default'] : locations).map((location) =>
      startReplica(t, parts.database, clock, { location, runProbe: probeAt(location) }),
    ),
  )
  await pickedUp(replicas)
  return {
    api,
    organizationId,
    responses,
    clock,
    replicas,
    shown,
    slow,
    sql,
    /** Publishes a component event and waits until all replicas have loaded it. */
    update: async (fact: ComponentEventData, version: number) => {
      await parts.publishComponent(organizationId, 'updated', fact, version)
      await pickedUp(replicas)
    },
    minutes: async (count: number) => {
      for (let minute = 0; minute < count; minute += 1) await pass(clock, replicas, MINUTE)
    },
    publishedEvents: async () => {
      const rows = await sql<{ kind: string; aggregate_version: number; payload: never }[]>`
        SELECT kind, aggregate_version, payload FROM monitor.outbox
        WHERE kind LIKE 'monitor.%' OR kind LIKE 'certificate.%' ORDER BY seq`
      return rows.map(({ kind }) => kind)
    },
    versions: async () => {
      const rows = await sql<{ version: number }[]>`
        SELECT aggregate_version AS version FROM monitor.outbox
        WHERE kind LIKE 'monitor.%' ORDER BY seq`
      return rows.map(({ version }) => version)
    },
  }
}

t.test('one failing location changes nothing, a quorum does', async (t) => {
  const { responses, minutes, publishedEvents, versions, sql, api } = await world(t, [
    'eu',
    'us',
    'ap',
  ])
  responses.set('eu', false)
  await minutes(4)
  t.same(await publishedEvents(), [])
  responses.set('us', false)
  await minutes(4)
  t.same(await publishedEvents(), ['monitor.down'])
  responses.set('eu', true)
  await minutes(2)
  t.same(await publishedEvents(), ['monitor.down', 'monitor.recovered'])
  const seen = await versions()
  t.same(seen, [...seen].sort(), 'versions rise')
  const stored = await sql`SELECT DISTINCT location FROM monitor.checks
    WHERE component_id = ${api.id} ORDER BY location`
  t.same(
    stored.map(({ location }) => location),
    ['ap', 'eu', 'us'],
  )
})

t.test('the removal of a failing location can recover the target', async (t) => {
  const { responses, minutes, publishedEvents, update, api } = await world(t, ['eu', 'us'], {
    locationQuorum: 1,
  })
  responses.set('us', false)
  await minutes(3)
  t.same(await publishedEvents(), ['monitor.down'])
  const definition = { ...(api.endpoint as HttpEndpoint), locations: ['eu'] }
  await update({ ...api, endpoint: definition }, 2)
  t.same(await publishedEvents(), ['monitor.down', 'monitor.recovered'])
})

t.test('a new location of a failing target does not recover it', async (t) => {
  const { responses, minutes, publishedEvents, update, api } = await world(t, ['eu', 'us'])
  const definition = api.endpoint as HttpEndpoint
  const move = (locations: string[], version: number) =>
    update({ ...api, endpoint: { ...definition, locations } }, version)
  await move(['eu'], 2)
  responses.set('eu', false)
  await minutes(3)
  t.same(await publishedEvents(), ['monitor.down'])
  await move(['eu', 'us'], 3)
  await move(['us'], 4)
  t.same(await publishedEvents(), ['monitor.down'], 'no replica has checked from there')
  await minutes(2)
  t.same(await publishedEvents(), ['monitor.down', 'monitor.recovered'])
})

t.test('a location without replicas stops counting after a while', async (t) => {
  const { responses, clock, publishedEvents, minutes, replicas, sql } = await world(t, [
    'eu',
    'us',
    'ap',
  ])
  const [eu, us, ap] = replicas as [CheckScheduler, CheckScheduler, CheckScheduler]
  const looked = async (replica: CheckScheduler) => {
    await lookForSilence(replica)
    return publishedEvents()
  }
  await sql`UPDATE monitor.location_heartbeats SET continuous_since = now() - interval '10 minutes'`
  responses.set('eu', false)
  responses.set('us', false)
  await minutes(3)
  t.same(await looked(eu), ['monitor.down'], 'two of three')
  await us.stop()
  t.same(await looked(eu), ['monitor.down'], 'a restart does not make a location stale')
  await sql`UPDATE monitor.location_heartbeats SET last_heartbeat_at = now() - interval '4 minutes'
    WHERE location = 'us'`
  t.same(await looked(eu), ['monitor.down', 'monitor.recovered'], 'one of two is no majority')
  t.same(await looked(ap), ['monitor.down', 'monitor.recovered'], 'said once')
  responses.set('ap', false)
  await pass(clock, [eu, ap], MINUTE)
  await pass(clock, [eu, ap], MINUTE)
  t.same(
    await publishedEvents(),
    ['monitor.down', 'monitor.recovered', 'monitor.down'],
    'two of two',
  )
})

const lookForSilence = (replica: CheckScheduler | undefined) =>
  replica?.jobs.find(({ name }) => name === 'silence')?.run(new AbortController().signal)

t.test('after an outage of all locations the first one back does not decide alone', async (t) => {
  const { responses, publishedEvents, minutes, replicas, sql } = await world(t, ['eu', 'us', 'ap'])
  responses.set('eu', false)
  await minutes(3)
  await sql`UPDATE monitor.location_heartbeats
    SET last_heartbeat_at = now() - interval '10 minutes',
      continuous_since = now() - interval '20 minutes'`
  await lookForSilence(replicas[0])
  await minutes(1)
  t.same(await publishedEvents(), [], 'one of three')
  await sql`UPDATE monitor.location_heartbeats SET continuous_since = now() - interval '5 minutes'
    WHERE location = 'eu'`
  await lookForSilence(replicas[0])
  t.same(await publishedEvents(), ['monitor.down'], 'the others had time to return')
})

t.test('locations removed during a check do not count in it', async (t) => {
  const { responses, clock, publishedEvents, minutes, replicas, slow, update, api } = await world(
    t,
    ['eu', 'us'],
    { failureThreshold: 1 },
  )
  await minutes(1)
  responses.set('eu', false)
  const gate = Promise.withResolvers<void>()
  slow.until = gate.promise
  clock.advance(MINUTE)
  await eventually(() => replicas.every((replica) => replica.gauges().inFlight === 1))
  const definition = { ...(api.endpoint as HttpEndpoint), locations: ['eu'] }
  await update({ ...api, endpoint: definition }, 2)
  gate.resolve()
  await pass(clock, replicas, 0)
  t.same(await publishedEvents(), ['monitor.down'])
})

t.test('four changes in half an hour are announced as flapping', async (t) => {
  const { responses, minutes, sql } = await world(t, ['eu'], { failureThreshold: 1 })
  for (const isUp of [false, true, false, true]) {
    responses.set('eu', isUp)
    await minutes(2)
  }
  const rows = await sql<{ payload: { monitor: { isFlapping: boolean } } }[]>`
    SELECT payload FROM monitor.outbox WHERE kind LIKE 'monitor.%' ORDER BY seq`
  t.same(
    rows.map(({ payload }) => payload.monitor.isFlapping),
    [false, false, false, true],
  )
})

t.test('an expiring certificate is announced once by all locations together', async (t) => {
  const { clock, minutes, publishedEvents, shown, sql } = await world(t, ['eu', 'us'])
  shown.expiresAt = clock.now() + 90 * DAY
  await minutes(2)
  t.same(await publishedEvents(), [])
  shown.expiresAt = clock.now() + 10 * DAY + 60 * MINUTE
  await minutes(3)
  t.same(await publishedEvents(), ['certificate.expiring'])
  const [row] = await sql<{ payload: { certificate: { daysLeft: number } } }[]>`
    SELECT payload FROM monitor.outbox WHERE kind = 'certificate.expiring'`
  t.equal(row?.payload.certificate.daysLeft, 10)
})

t.test('locations that see two certificates cause no alternating warnings', async (t) => {
  const { clock, minutes, publishedEvents, shown } = await world(t, ['eu', 'us'])
  shown.expiresAt = clock.now() + 10 * DAY
  shown.inUs = clock.now() + 90 * DAY
  await minutes(4)
  t.same(await publishedEvents(), ['certificate.expiring'])
})

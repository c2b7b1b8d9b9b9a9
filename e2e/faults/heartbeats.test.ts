/** A job that stops sends one outage to subscribers, also when the monitor dies at the due time. */
import { setTimeout as delay } from 'node:timers/promises'
import {
  componentCheckOperations,
  componentHeartbeatOperations,
  componentOperations,
  eventOperations,
  incidentOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { assertDelivered, assertIdle } from '../kit/delivery-ledger.ts'
import { createScenario } from '../kit/tenant.ts'
import { killAndRevive, startWorld } from '../kit/world.ts'

/** Period and grace, the interval of the monitor's job, and the delivery of its event. */
const NOTICED_WITHIN_MS = 40_000
/** Expiry of the killed replica's leases, too. */
const TAKEN_OVER_WITHIN_MS = 90_000
const PERIOD_SECONDS = 10
const GRACE_SECONDS = 2
/** Enough that each of two replicas holds the shards of some. */
const JOBS = 12

const world = await startWorld(t, { hasShortIntervals: true })
const scenario = await createScenario(t, world, { name: 'heartbeat-faults' })
const { api } = scenario.tenant

const createJob = async (name: string, given: { autoCreateIncident?: boolean } = {}) => {
  const { id } = await api.call(componentOperations.create, {
    body: {
      type: 'ENDPOINT',
      kind: 'heartbeat',
      name,
      periodSeconds: PERIOD_SECONDS,
      startGraceSeconds: GRACE_SECONDS,
      ...given,
    },
  })
  const params = { id }
  const { pingUrl } = await api.call(componentHeartbeatOperations.rotateToken, { params })
  return {
    id,
    ping: () => fetch(pingUrl, { method: 'POST' }),
    read: () => api.call(componentHeartbeatOperations.read, { params }),
    checks: async () => (await api.call(componentCheckOperations.checks, { params })).data,
  }
}

t.test('a job that stops opens an incident, and its next ping resolves it', async (t) => {
  const { id, ping, read, checks } = await createJob('Backup', { autoCreateIncident: true })
  t.equal((await ping()).status, 200)
  const { dueAt } = await read()
  const incidentOf = async (status: string) => {
    const { data } = await api.call(incidentOperations.list, { query: { componentId: id } })
    return data.find((one) => one.status === status)
  }
  const within = { timeoutMs: NOTICED_WITHIN_MS }
  const opened = await eventually(() => incidentOf('investigating'), within)
  t.match(opened, { title: 'Backup is down', impact: 'critical', isAutoCreated: true })
  const missed = (await checks()).findLast(({ error }) => error === 'heartbeat_missed')
  t.equal(missed?.timestamp, dueAt, 'the outage is dated to the end of the grace time')
  scenario.expectMessage('incident.created', opened)
  await ping()
  const resolved = await eventually(() => incidentOf('resolved'), within)
  scenario.expectMessage('incident.resolved', resolved)
  await scenario.allDelivered()
  await api.call(componentOperations.remove, { params: { id } })
})

t.test('killed at the due time, with two replicas: each job is noticed once', async (t) => {
  const replica = await world.stack.replicate('monitor')
  t.teardown(() => replica.stop())
  const jobs = await Promise.all(
    Array.from({ length: JOBS }, (_none, index) => createJob(`Job ${index}`)),
  )
  for (const { ping } of jobs) t.equal((await ping()).status, 200)
  const due = await Promise.all(
    jobs.map(async ({ read }) => Date.parse((await read()).dueAt ?? '')),
  )
  await delay(Math.min(...due) - Date.now())
  await killAndRevive(world, 'monitor')
  const downs = async () => {
    const query = { kinds: ['monitor.down' as const] }
    const { data } = await api.call(eventOperations.list, { query })
    const ids = data.map(({ monitor }) => monitor?.id)
    return jobs.map(({ id }) => ids.filter((one) => one === id).length)
  }
  await eventually(async () => (await downs()).every((count) => count > 0), {
    timeoutMs: TAKEN_OVER_WITHIN_MS,
  })
  // The next missed times count as results of the same outage.
  await eventually(
    async () => {
      const all = await Promise.all(jobs.map(({ checks }) => checks()))
      return all.every((list) => list.filter(({ error }) => error !== null).length > 1)
    },
    { timeoutMs: TAKEN_OVER_WITHIN_MS },
  )
  t.same(
    await downs(),
    jobs.map(() => 1),
  )
  for (const [index, { checks }] of jobs.entries()) {
    const times = (await checks()).map(({ timestamp }) => timestamp)
    t.equal(new Set(times).size, times.length, `job ${index}: each missed time is one result`)
  }
  for (const { id } of jobs) await api.call(componentOperations.remove, { params: { id } })
})

t.test('finally every subscriber has received one outage and its end once', async (t) => {
  await assertIdle(t, world)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
  assertDelivered(t, scenario.expectedMessages, scenario.mails())
})

/**
 * Postgres or NATS is unavailable during checks: every check is stored, every outage is notified.
 */
import {
  type Check,
  componentCheckOperations,
  componentOperations,
  incidentOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import t from 'tap'
import { register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const INTERVAL_SECONDS = 10
const WITHIN_MS = 90_000
const CHECKS_DURING_THE_OUTAGE = 2

const world = await startWorld(t, { durable: true, hasShortIntervals: true })
const { postgres, nats } = world.stack
if (postgres === null || nats === null) throw new Error('These tests need servers of their own')
const { api } = await register(world.api, 'check-faults')
const endpoint = (url: string) => ({
  type: 'ENDPOINT' as const,
  name: 'Shop',
  url,
  checkInterval: INTERVAL_SECONDS,
  failureThreshold: 1,
  recoveryThreshold: 1,
  autoCreateIncident: true,
  autoResolve: true,
})

const checksOf = async (id: string): Promise<Check[]> => {
  const query = { sortOrder: 'asc' as const, pageSize: 100 }
  const { data } = await api.call(componentCheckOperations.checks, { params: { id }, query })
  return data
}

t.test('checks made while Postgres is unavailable are stored', async (t) => {
  const target = await httpTarget(t)
  const component = await api.call(componentOperations.create, { body: endpoint(target.url) })
  await eventually(async () => (await checksOf(component.id)).length > 0, { timeoutMs: WITHIN_MS })
  await postgres.kill('SIGKILL')
  const before = target.requests.length
  await eventually(() => target.requests.length >= before + CHECKS_DURING_THE_OUTAGE, {
    timeoutMs: WITHIN_MS,
  })
  await eventually(
    async () => {
      await postgres.restart()
      await postgres.waitReady()
      return true
    },
    { timeoutMs: WITHIN_MS },
  )
  const checkCount = target.requests.length
  const stored = await eventually(
    async () => {
      const checks = await checksOf(component.id).catch(() => [])
      return checks.length > checkCount ? checks : null
    },
    { timeoutMs: WITHIN_MS },
  )
  t.ok(stored.every(({ success }) => success))
  t.ok(stored.length >= before + CHECKS_DURING_THE_OUTAGE)
  t.equal(new Set(stored.map(({ id }) => id)).size, stored.length)
  const settled = async () => (await checksOf(component.id)).length === target.requests.length
  t.ok(
    await eventually(settled, { timeoutMs: WITHIN_MS }),
    'every response of the target is stored',
  )
})

t.test('an outage is notified without NATS', async (t) => {
  const target = await httpTarget(t)
  const component = await api.call(componentOperations.create, { body: endpoint(target.url) })
  await eventually(async () => (await checksOf(component.id)).length > 0, { timeoutMs: WITHIN_MS })
  await nats.kill('SIGKILL')
  target.respond({ status: 500 })
  const query = { componentId: component.id }
  const incident = await eventually(
    async () => (await api.call(incidentOperations.list, { query })).data[0],
    { timeoutMs: WITHIN_MS },
  )
  t.match(incident, { isAutoCreated: true, status: 'investigating' })
  await nats.restart()
  target.respond({ status: 200 })
  await eventually(
    async () => (await api.call(incidentOperations.list, { query })).data[0]?.status === 'resolved',
    { timeoutMs: WITHIN_MS },
  )
  t.equal((await api.call(incidentOperations.list, { query })).meta.total, 1, 'one outage')
})

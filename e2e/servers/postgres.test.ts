/**
 * Postgres is killed or becomes read-only while the services run: they reconnect, no change is
 * partial, and no event or delivery is given up.
 */
import {
  componentOperations,
  publicOperations,
  type ServiceName,
  services,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { assertDelivered, assertIdle } from '../kit/delivery-ledger.ts'
import { createScenario } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const LOAD = 16
const BACK_WITHIN_MS = 60_000

const world = await startWorld(t, { durable: true, hasShortIntervals: true })
const scenario = await createScenario(t, world, { name: 'postgres-faults' })
const slow = await createScenario(t, world, { name: 'slow-to-answer', mail: false })
const { postgres, processes } = world.stack
if (postgres === null) throw new Error('These tests need a Postgres of their own')
const pids = () => services.map((name) => processes[name].pid)
const params = { slug: 'postgres-faults' }

const readiness = async (name: ServiceName, path = '/readyz'): Promise<number> => {
  const response = await fetch(new URL(path, processes[name].origin))
  await response.body?.cancel()
  return response.status
}

/** Retries, because child processes hold the shared memory a moment longer. */
const revive = () =>
  eventually(
    async () => {
      await postgres.restart()
      await postgres.waitReady()
      return true
    },
    { timeoutMs: BACK_WITHIN_MS },
  )

t.test('killed under load: every request gets a response, and no response is false', async (t) => {
  const before = pids()
  await scenario.open('Before the kill')
  const requests = Array.from({ length: LOAD }, async (_, index) => {
    const title = `Under load ${index}`
    const error = await scenario.open(title).then(
      () => null,
      (reason: Error) => reason,
    )
    return { title, error }
  })
  await Promise.race(requests)
  await postgres.kill('SIGKILL')
  const duringTheOutage = await world.api.request(publicOperations.status, { params })
  t.ok([200, 503].includes(duringTheOutage.status), 'either the page or Retry-After')
  const answers = await Promise.all(requests)
  await revive()
  const isBack = async () => (await scenario.findIncident('Before the kill')) !== undefined
  await eventually(isBack, { timeoutMs: BACK_WITHIN_MS })
  for (const { title, error } of answers) {
    if (error === null) continue
    t.match(error.message, /responded with 50[0234]/, title)
    const incident = await scenario.findIncident(title)
    if (incident !== undefined) scenario.expectMessage('incident.created', incident)
  }
  t.same(pids(), before, 'no service exits')
})

t.test(
  'killed during a delivery: the result is recorded after the restart, and the message is ' +
    'not repeated',
  async (t) => {
    const release = slow.hook.pauseResponses()
    const incident = await slow.open('During a delivery')
    await eventually(() => slow.hook.requests.length === 1)
    await postgres.kill('SIGKILL')
    release()
    await revive()
    const isBack = async () => (await slow.findIncident('During a delivery')) !== undefined
    await eventually(isBack, { timeoutMs: BACK_WITHIN_MS })
    await slow.move(incident, 'resolved')
    await t.resolves(slow.allDelivered())
  },
)

t.test(
  'read-only: changes are refused with Retry-After, the page stays up, and all recover by themselves',
  async (t) => {
    const before = pids()
    const page = () => world.api.request(publicOperations.status, { params })
    t.equal((await page()).status, 200)
    await world.admin`ALTER SYSTEM SET default_transaction_read_only = on`
    await world.admin`SELECT pg_reload_conf()`
    const isRefused = async () => (await readiness('core')) === 503
    await eventually(isRefused, { timeoutMs: BACK_WITHIN_MS })
    const change = await scenario.tenant.api.request(componentOperations.create, {
      body: { type: 'SERVICE', name: 'Refused' },
    })
    t.equal(change.status, 503)
    t.match(change.headers.get('retry-after'), /^\d+$/)
    t.equal((await page()).status, 200)
    t.equal(await readiness('gateway', '/readyz/pages'), 200)

    await world.admin`ALTER SYSTEM RESET default_transaction_read_only`
    await world.admin`SELECT pg_reload_conf()`
    const isBack = async () => (await readiness('core')) === 200
    await eventually(isBack, { timeoutMs: BACK_WITHIN_MS })
    const incident = await scenario.open('After read-only')
    await scenario.move(incident, 'resolved')
    await t.resolves(scenario.allDelivered(BACK_WITHIN_MS))
    t.same(pids(), before, 'no service exits')
  },
)

t.test('after the restart incidents are delivered as before', async (t) => {
  const incident = await scenario.open('After the return')
  await scenario.move(incident, 'resolved')
  await t.resolves(scenario.allDelivered(BACK_WITHIN_MS))
})

t.test('finally every subscriber has received what was committed, once', async (t) => {
  await assertIdle(t, world)
  assertDelivered(t, scenario.expectedMessages, scenario.hook.received())
  assertDelivered(t, scenario.expectedMessages, scenario.mails())
  assertDelivered(t, slow.expectedMessages, slow.hook.received())
})

/** Checks of components, on demand and stored. The monitor is scripted. */
import {
  AppError,
  type Check,
  checkOperations,
  componentOperations as on,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'

const kit = await coreKit(t)

const service = (name: string) => ({ type: 'SERVICE', name })
const endpoint = () => ({ type: 'ENDPOINT', name: 'API', url: 'https://93.184.215.14/health' })

const check = (componentId: string): Check => ({
  id: newId(),
  componentId,
  success: true,
  status: 'SUCCESS',
  statusCode: 200,
  responseTime: 12,
  timestamp: '2026-08-01T09:30:00.000Z',
  error: null,
  conditionResults: [],
  trigger: 'manual',
  location: 'default',
  timings: { dns: 1, connect: 2, tls: null, firstByte: 12 },
})

t.test(
  'monitors and checks are queried from the monitor service for the listed components only',
  async (t) => {
    const { request } = kit.as()
    const { body: one } = await request(on.create, { body: endpoint() })
    const { body: other } = await request(on.create, { body: service('S') })
    const monitor = { kind: 'http', isEnabled: true, interval: 60, derivedStatus: 'operational' }
    const counts = { consecutiveFailures: 0, consecutiveSuccesses: 3 }
    const times = {
      lastCheckAt: '2026-08-01T09:30:00.000Z',
      nextCheckAt: null,
      certificateExpiresAt: null,
      certificateSubject: null,
      certificateIssuer: null,
      isFlapping: false,
      unservedLocations: [],
    }
    kit.scriptMonitor((operation) => {
      t.equal(operation.id, checkOperations.recent.id)
      const entry = { componentId: one.id, monitor: { ...monitor, ...counts, ...times } }
      return { targets: [{ ...entry, averageResponseTime: 12, checks: [check(one.id)] }] }
    })
    const { body } = await request(on.list, { query: { include: 'monitors', includeChecks: true } })
    const found = (id: string) => body.data.find((item: { id: string }) => item.id === id)
    t.match(found(one.id), { monitors: [{ kind: 'http' }], checks: [{ statusCode: 200 }] })
    t.match(
      found(one.id),
      { lastCheckAt: '2026-08-01T09:30:00.000Z', averageResponseTime: 12 },
      'the fields of the component agree with its monitor',
    )
    t.match(found(other.id), { monitors: [], checks: [] })

    kit.scriptMonitor(() => ({ targets: [] }))
    const unseen = await request(on.read, {
      params: { id: one.id },
      query: { include: 'monitors' },
    })
    t.match(unseen.body.monitors, [{ kind: 'http', interval: 60, lastCheckAt: null }])
    t.equal(unseen.body.monitors.length, 1, 'before the monitor has data about it')

    kit.scriptMonitor(() => {
      throw new AppError('SERVICE_UNAVAILABLE', 'monitor is not available')
    })
    t.equal((await request(on.list)).status, 200)
    const params = { id: one.id }
    t.equal((await request(on.read, { params, query: { include: 'checks' } })).status, 503)
    t.equal((await request(on.check, { params })).status, 503)
  },
)

t.test('a check returns its result, and only for ENDPOINT components', async (t) => {
  const { request } = kit.as()
  const { body: one } = await request(on.create, { body: endpoint() })
  const { body: other } = await request(on.create, { body: service('S') })
  kit.scriptMonitor(() => check(one.id))
  const response = await request(on.check, { params: { id: one.id } })
  t.equal(response.status, 200)
  t.match(response.body, { success: true, result: { status: 'SUCCESS', statusCode: 200 } })
  t.notOk('trigger' in response.body.result)
  t.equal((await request(on.check, { params: { id: other.id } })).status, 400)
  t.equal((await request(on.check, { params: { id: newId() } })).status, 404)
})

t.test('a component may be checked as soon as it is created', async (t) => {
  const { request } = kit.as()
  const { body: one } = await request(on.create, { body: endpoint() })
  let asked = 0
  kit.scriptMonitor((_, question) => {
    asked += 1
    t.match(question, { body: { version: 1 } })
    if (asked < 3) throw new AppError('NOT_FOUND', 'Target not found')
    return check(one.id)
  })
  t.equal((await request(on.check, { params: { id: one.id } })).status, 200)
  kit.scriptMonitor(() => {
    throw new AppError('NOT_FOUND', 'Target not found')
  })
  t.equal(
    (await request(on.check, { params: { id: one.id } })).status,
    503,
    'only for a limited time',
  )
})

t.test('every response has the current metrics of a component', async (t) => {
  const { request } = kit.as()
  const { body: parent } = await request(on.create, { body: service('Group') })
  const child = { ...endpoint(), parentComponentId: parent.id }
  const { body: one } = await request(on.create, { body: child })
  const figures = { lastCheckAt: '2026-08-01T09:30:00.000Z', averageResponseTime: 12 }
  const timeouts: unknown[] = []
  kit.scriptMonitor((operation, question) => {
    t.equal(operation.id, checkOperations.summaries.id)
    timeouts.push((question as { timeoutMs?: number }).timeoutMs)
    return { targets: [{ componentId: one.id, ...figures }] }
  })
  const { body } = await request(on.list, { query: { include: 'subComponents' } })
  const found = (id: string) => body.data.find((item: { id: string }) => item.id === id)
  t.match(found(one.id), figures)
  t.match(found(parent.id), { lastCheckAt: null, subComponents: [figures] })
  const query = { include: 'subComponents' }
  t.match((await request(on.read, { params: { id: parent.id }, query })).body.subComponents, [
    figures,
  ])
  t.same(timeouts, [1_000, 1_000], 'one short request per response')

  kit.scriptMonitor(() => {
    throw new AppError('UPSTREAM_TIMEOUT', 'monitor did not respond in time')
  })
  t.match(await request(on.read, { params: { id: one.id } }), { status: 200, body: { id: one.id } })
})

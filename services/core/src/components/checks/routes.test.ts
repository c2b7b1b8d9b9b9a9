/** Checks and time series of components over HTTP. The monitor is scripted. */
import {
  AppError,
  checkOperations,
  componentCheckOperations,
  componentOperations,
  privateLocationLock,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import { eventually, testCaller } from '@status-page/testing'
import postgres from 'postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'

const kit = await coreKit(t)
const operations = [componentCheckOperations.checks, componentCheckOperations.responseTimes]

const endpoint = (given: object = {}) => ({
  type: 'ENDPOINT',
  name: 'API',
  url: 'https://93.184.215.14/health',
  ...given,
})

const refusedFor = (field: string) => ({ status: 400, body: { error: { details: { field } } } })

const times = { from: '2026-08-01T00:00:00.000Z', to: '2026-08-02T00:00:00.000Z' }
const nothing = (operation: { id: string }, id: string) =>
  operation.id === checkOperations.list.id
    ? { data: [], meta: { total: 0, page: 1, pageSize: 20 } }
    : { componentId: id, ...times, resolution: 300, points: [] }

const created = async (body: object) => {
  const owner = kit.as()
  const { body: component } = await owner.request(componentOperations.create, { body })
  return { ...owner, id: component.id as string }
}

t.test('the monitor receives the request unchanged, for every component type', async (t) => {
  for (const body of [endpoint(), { type: 'SERVICE', name: 'S' }]) {
    const { request, id } = await created(body)
    for (const operation of operations) {
      const questions: unknown[] = []
      kit.scriptMonitor((inner, question) => {
        questions.push(question)
        return nothing(inner, id)
      })
      const { status } = await request(operation, { params: { id }, query: { ...times } })
      t.equal(status, 200, operation.id)
      t.match(questions, [{ params: { id }, query: times }])
    }
  }
})

t.test('an inconsistent request is 400 and never reaches the monitor', async (t) => {
  const { request, id } = await created(endpoint())
  kit.scriptMonitor(() => t.fail('not asked'))
  const wrong = [
    { from: times.to, to: times.from },
    { from: 'yesterday' },
    { location: 'Not A Place' },
  ]
  for (const operation of operations) {
    for (const query of wrong) {
      t.equal(
        (await request(operation, { params: { id }, query })).status,
        400,
        JSON.stringify(query),
      )
    }
  }
  const bad = { params: { id }, query: { status: 'FINE' } }
  t.equal((await request(componentCheckOperations.checks, bad)).status, 400)
  const week = { params: { id }, query: { resolution: '60' } }
  t.equal((await request(componentCheckOperations.responseTimes, week)).status, 400)
})

t.test('unknown, foreign, deleted and malformed ids are the same 404', async (t) => {
  const { request, id } = await created(endpoint())
  const { id: foreign } = await created(endpoint())
  kit.scriptMonitor(() => t.fail('not asked'))
  await request(componentOperations.remove, { params: { id } })
  for (const operation of operations) {
    const asked = [id, foreign, newId(), 'nonsense'].map((one) =>
      request(operation, { params: { id: one } }),
    )
    const responses = await Promise.all(asked)
    t.same(new Set(responses.map(({ status }) => status)), new Set([404]), operation.id)
    t.equal(new Set(responses.map(({ body }) => body.error.message)).size, 1)
  }
})

t.test(
  'a caller that may read components may read their checks, and no other caller',
  async (t) => {
    const { id, organizationId } = await created(endpoint())
    kit.scriptMonitor((inner) => nothing(inner, id))
    for (const operation of operations) {
      const statusOf = async (caller: ReturnType<typeof testCaller>) =>
        (await kit.request(operation, { caller, params: { id } })).status
      const own = { organizationId: organizationId as string }
      t.equal(await statusOf(testCaller({ ...own, role: 'VIEWER' })), 200)
      t.equal(await statusOf(testCaller({ ...own, permissions: ['incidents:read'] })), 403)
    }
  },
)

t.test('without a monitor the response is 503', async (t) => {
  const { request, id } = await created(endpoint())
  for (const operation of operations) {
    kit.scriptMonitor(() => {
      throw new AppError('SERVICE_UNAVAILABLE', 'monitor is not available')
    })
    t.equal((await request(operation, { params: { id } })).status, 503)
  }
})

t.test(
  'a location without a monitor is refused, and the error lists the available ones',
  async (t) => {
    const { request } = kit.as()
    kit.scriptMonitor((operation) => {
      if (operation.id === checkOperations.summaries.id) return { targets: [] }
      t.equal(operation.id, checkOperations.locations.id)
      return { locations: ['ap', 'eu'], icmpLocations: ['eu'] }
    })
    const body = endpoint({ locations: ['eu', 'moon'] })
    const refused = await request(componentOperations.create, { body })
    t.equal(refused.status, 400)
    t.match(refused.body.error.details, { field: 'locations[1]', expected: ['ap', 'eu'] })
    const fine = await request(componentOperations.create, {
      body: endpoint({ locations: ['eu'] }),
    })
    t.match(fine, { status: 201, body: { locations: ['eu'] } })
    const params = { id: fine.body.id }
    const patched = await request(componentOperations.update, {
      params,
      body: { locations: ['us'] },
    })
    t.equal(patched.status, 400)
    const icmp = { body: endpoint({ url: 'icmp://93.184.215.14', locations: ['ap'] }) }
    const incapable = await request(componentOperations.create, icmp)
    t.match(incapable, { status: 400, body: { error: { details: { field: 'url' } } } })
    t.match(incapable.body.error.message, /the location ap does not have/)
    const moved = await request(componentOperations.update, {
      params,
      body: { url: 'icmp://93.184.215.14', method: 'GET' },
    })
    t.match(moved, { status: 200, body: { url: 'icmp://93.184.215.14', locations: ['eu'] } })
    const away = await request(componentOperations.update, { params, body: { locations: ['ap'] } })
    t.match(away, { status: 400, body: { error: { details: { field: 'url' } } } })
    const same = await request(componentOperations.update, { params, body: { name: 'Other' } })
    t.match(same, { status: 200, body: { name: 'Other', locations: ['eu'] } })
  },
)

t.test('only components that agents alone check may have a private address', async (t) => {
  const { request } = kit.as()
  kit.scriptMonitor((operation) =>
    operation.id === checkOperations.summaries.id
      ? { targets: [] }
      : { locations: ['default', 'private:office'], icmpLocations: ['default'] },
  )
  const create = (given: object) =>
    request(componentOperations.create, { body: endpoint({ url: 'http://10.0.0.5/', ...given }) })
  const refused = refusedFor('url')
  t.match(await create({}), refused)
  t.match(await create({ locations: ['default', 'private:office'] }), refused)
  const own = await create({ locations: ['private:office'] })
  t.match(own, { status: 201, body: { url: 'http://10.0.0.5/' } })
  const params = { id: own.body.id }
  const patch = (body: object) => request(componentOperations.update, { params, body })
  t.match(await patch({ locations: ['default'] }), refused, 'the stored address')
  t.equal((await patch({ url: 'http://10.0.0.6/' })).status, 200)
  t.equal((await patch({ locations: [], url: 'http://93.184.215.14/' })).status, 200)
  const domain = { url: 'domain://example.com', method: 'GET', locations: ['private:office'] }
  t.match(await create(domain), refusedFor('locations[0]'))
})

t.test('a component that names a private location during its deletion is refused', async (t) => {
  const { request, organizationId } = kit.as()
  let locations = ['private:office']
  kit.scriptMonitor((operation) =>
    operation.id === checkOperations.summaries.id
      ? { targets: [] }
      : { locations, icmpLocations: [] },
  )
  const { body } = await request(componentOperations.create, { body: endpoint() })
  const own = { locations }
  const naming = {
    create: () => request(componentOperations.create, { body: endpoint(own) }),
    update: () => request(componentOperations.update, { params: { id: body.id }, body: own }),
  }
  const monitor = postgres(kit.adminUrl, { max: 1, onnotice: () => {} })
  t.teardown(() => monitor.end({ timeout: 1 }))
  for (const [name, work] of Object.entries(naming)) {
    locations = own.locations
    const { pending } = await monitor.begin(async (deletion) => {
      const key = privateLocationLock(organizationId)
      await deletion`SELECT pg_advisory_xact_lock(hashtextextended(${key}, 0))`
      const pending = work()
      await eventually(async () => {
        const waiting = await deletion`SELECT FROM pg_stat_activity
          WHERE datname = current_database() AND wait_event = 'advisory'`
        return waiting.length > 0
      })
      locations = []
      return { pending }
    })
    t.match(await pending, refusedFor('locations[0]'), name)
  }
})

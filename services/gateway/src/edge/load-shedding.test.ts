/** Load shedding: early refusals with Retry-After, and requests that are never refused. */
import { operations } from '@status-page/contracts'
import { createHttp, createLogger } from '@status-page/service'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { testGateway } from '../gateway.fixture.ts'
import { createOverloadDetector } from './event-loop-monitor.ts'
import { registerLoadShedding } from './load-shedding.ts'

const MAX_IN_FLIGHT = 512

t.test(
  'a hanging upstream gets 503 for further requests while other upstreams are served',
  async (t) => {
    const gateway = await testGateway(t)
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    gateway.inner.respond(async () => {
      await released
      return { headers: { 'content-type': 'application/json' }, body: '{}' }
    })
    // Requests a different page each time, because requests for one page share an upstream request.
    const callApi = async (page: number | string) =>
      gateway.http.inject({ url: `/api/v1/public/status/acme-${page}` })
    const inFlight = Array.from({ length: MAX_IN_FLIGHT }, (_none, index) => callApi(index))
    await eventually(() => gateway.inner.requests.length > 0)
    const refused = await callApi('refused')
    t.equal(refused.statusCode, 503)
    t.equal(refused.json().error.code, 'SERVICE_UNAVAILABLE')
    t.ok(Number(refused.headers['retry-after']) >= 1)
    t.ok(refused.headers['x-ratelimit-limit'])
    const me = await gateway.http.inject({ url: '/api/v1/auth/me' })
    t.equal(me.statusCode, 401, me.body)
    t.equal((await gateway.http.inject({ url: '/readyz' })).statusCode, 200)
    release()
    const responses = await Promise.all(inFlight)
    t.ok(responses.every(({ statusCode }) => statusCode === 200))
    t.equal((await callApi('after')).statusCode, 200, 'slots are released')
  },
)

const operationOf = (id: string) => {
  const found = operations.find((one) => one.id === id)
  if (found === undefined) throw new Error(`no operation is named ${id}`)
  return found
}

/** Server that responds on command, with three slots and one more for public pages. */
const smallServer = async (t: Tap, eventLoop: { isOverloaded(): boolean }) => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  const http = createHttp({
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    known: [],
  })
  t.teardown(() => http.close())
  const watched = { ...eventLoop, stop: () => {} }
  registerLoadShedding(http, { eventLoop: watched, maxInFlight: 3, maxPublicInFlight: 4 })
  const handler = () => released.then(() => ({}))
  http.get('/ordinary', { config: { operation: operationOf('components.list') } }, handler)
  http.get('/public', { config: { operation: operationOf('public.status') } }, handler)
  http.get('/dashboard', { config: { isStaticFile: true } }, handler)
  http.get('/health', async () => ({}))
  await http.ready()
  return { http, release }
}

type Tap = { teardown(work: () => unknown): void }

t.test(
  'requests beyond the limit in flight are refused, public pages last, health never',
  async (t) => {
    const { http, release } = await smallServer(t, { isOverloaded: () => false })
    // Starts the request: an injected one begins when its promise is awaited.
    const callApi = (url: string) => http.inject({ url }).then((response) => response)
    const inFlight = [callApi('/ordinary'), callApi('/ordinary'), callApi('/ordinary')]
    const refused = await callApi('/ordinary')
    t.equal(refused.statusCode, 503)
    const retryAfter = Number(refused.headers['retry-after'])
    t.ok(retryAfter >= 1 && retryAfter <= 5)
    inFlight.push(callApi('/public'))
    t.equal((await callApi('/public')).statusCode, 503)
    t.equal((await callApi('/health')).statusCode, 200)
    release()
    for (const { statusCode } of await Promise.all(inFlight)) t.equal(statusCode, 200)
    t.equal((await callApi('/ordinary')).statusCode, 200, 'slots are released')
  },
)

t.test(
  'an overloaded process serves pages and health and refuses all other requests',
  async (t) => {
    const { http, release } = await smallServer(t, { isOverloaded: () => true })
    release()
    t.equal((await http.inject({ url: '/ordinary' })).statusCode, 503)
    t.equal((await http.inject({ url: '/public' })).statusCode, 200)
    t.equal((await http.inject({ url: '/dashboard' })).statusCode, 200)
    t.equal((await http.inject({ url: '/health' })).statusCode, 200)
  },
)

t.test('a disconnected client releases its slot', async (t) => {
  const { http } = await smallServer(t, { isOverloaded: () => false })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/ordinary`
  for (let round = 0; round < 5; round++) {
    const disconnect = new AbortController()
    const aborted = fetch(url, { signal: disconnect.signal }).catch(() => 'gone')
    await eventually(async () => (await connectionsOf(http)) > 0)
    disconnect.abort()
    t.equal(await aborted, 'gone')
    await eventually(async () => (await connectionsOf(http)) === 0)
  }
  const outcome = await Promise.race([
    http.inject({ url: '/ordinary' }).then(({ statusCode }) => statusCode),
    http.inject({ url: '/health' }).then(() => 'admitted'),
  ])
  t.equal(outcome, 'admitted')
})

const connectionsOf = ({ server }: Awaited<ReturnType<typeof smallServer>>['http']) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

t.test('repeated delays or a full heap are overload, a single stall is not', async (t) => {
  const { tick, isOverloaded } = createOverloadDetector()
  const after = (...lateMs: number[]) => {
    for (const late of lateMs) tick(late, 0.5)
    return isOverloaded()
  }
  t.equal(after(0, 5_000, 0, 0), false)
  t.equal(after(300, 300, 300), false)
  t.equal(after(300), true)
  t.equal(after(10), false, 'it recovers with the first tick in time')
  tick(0, 0.95)
  t.equal(isOverloaded(), true)
})

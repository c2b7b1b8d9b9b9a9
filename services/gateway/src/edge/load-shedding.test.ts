/** Under load: early refusals that tell when to come back, and who is never refused. */
import { operations } from '@status-page/contracts'
import { createHttp, createLogger } from '@status-page/service'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { password, testGateway } from '../gateway.fixture.ts'
import { createOverloadDetector } from './event-loop-monitor.ts'
import { registerLoadShedding } from './load-shedding.ts'

t.setTimeout(120_000)

const PLACES = 512

t.test('a service that hangs is full: 503 for its requests, the others are served', async (t) => {
  const gateway = await testGateway(t)
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  gateway.inner.respond(async () => {
    await released
    return { headers: { 'content-type': 'application/json' }, body: '{}' }
  })
  // Of one page only the first would be asked for.
  const callApi = async (page: number | string) =>
    gateway.http.inject({ url: `/api/v1/public/status/acme-${page}` })
  const held = Array.from({ length: PLACES }, (_none, index) => callApi(index))
  await eventually(() => gateway.inner.requests.length > 0)
  const refused = await callApi('refused')
  t.equal(refused.statusCode, 503)
  t.equal(refused.json().error.code, 'SERVICE_UNAVAILABLE')
  t.ok(Number(refused.headers['retry-after']) >= 1)
  t.ok(refused.headers['x-ratelimit-limit'])
  const own = await gateway.http.inject({ url: '/api/v1/auth/me' })
  t.equal(own.statusCode, 401, own.body)
  t.equal((await gateway.http.inject({ url: '/readyz' })).statusCode, 200)
  release()
  const answers = await Promise.all(held)
  t.ok(answers.every(({ statusCode }) => statusCode === 200))
  t.equal((await callApi('after')).statusCode, 200, 'places come back')
})

t.test('more logins at once than can be hashed soon are 503 with Retry-After', async (t) => {
  const gateway = await testGateway(t)
  const answers = await Promise.all(
    Array.from({ length: 48 }, (_one, index) =>
      gateway.http.inject({
        method: 'POST',
        url: '/api/v1/auth/login',
        payload: { email: `nobody-${index}@example.com`, password },
      }),
    ),
  )
  const full = answers.filter(({ statusCode }) => statusCode === 503)
  t.ok(full.length > 0)
  t.ok(answers.every(({ statusCode }) => [401, 429, 503].includes(statusCode)))
  for (const { headers } of full) t.ok(Number(headers['retry-after']) >= 1)
})

const operationOf = (id: string) => {
  const found = operations.find((one) => one.id === id)
  if (found === undefined) throw new Error(`no operation is named ${id}`)
  return found
}

/** Answers when it is told to; a place for three, one more for public pages. */
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
  http.get('/health', async () => ({}))
  await http.ready()
  return { http, release }
}

type Tap = { teardown(work: () => unknown): void }

t.test('beyond its places the process refuses: public pages last, health never', async (t) => {
  const { http, release } = await smallServer(t, { isOverloaded: () => false })
  // An injected request starts when it is waited for.
  const callApi = (url: string) => http.inject({ url }).then((answer) => answer)
  const held = [callApi('/ordinary'), callApi('/ordinary'), callApi('/ordinary')]
  const refused = await callApi('/ordinary')
  t.equal(refused.statusCode, 503)
  const retryAfter = Number(refused.headers['retry-after'])
  t.ok(retryAfter >= 1 && retryAfter <= 5)
  held.push(callApi('/public'))
  t.equal((await callApi('/public')).statusCode, 503)
  t.equal((await callApi('/health')).statusCode, 200)
  release()
  for (const { statusCode } of await Promise.all(held)) t.equal(statusCode, 200)
  t.equal((await callApi('/ordinary')).statusCode, 200, 'places come back')
})

t.test('a strained process serves pages and health, and refuses the rest', async (t) => {
  const { http, release } = await smallServer(t, { isOverloaded: () => true })
  release()
  t.equal((await http.inject({ url: '/ordinary' })).statusCode, 503)
  t.equal((await http.inject({ url: '/public' })).statusCode, 200)
  t.equal((await http.inject({ url: '/health' })).statusCode, 200)
})

t.test('a client that goes away gives its place back', async (t) => {
  const { http } = await smallServer(t, { isOverloaded: () => false })
  await http.listen({ host: '127.0.0.1', port: 0 })
  const { port } = http.server.address() as { port: number }
  const url = `http://127.0.0.1:${port}/ordinary`
  for (let round = 0; round < 5; round++) {
    const gone = new AbortController()
    const asked = fetch(url, { signal: gone.signal }).catch(() => 'gone')
    await eventually(async () => (await connectionsOf(http)) > 0)
    gone.abort()
    t.equal(await asked, 'gone')
    await eventually(async () => (await connectionsOf(http)) === 0)
  }
  const answers = await Promise.race([
    http.inject({ url: '/ordinary' }).then(({ statusCode }) => statusCode),
    http.inject({ url: '/health' }).then(() => 'admitted'),
  ])
  t.equal(answers, 'admitted')
})

const connectionsOf = ({ server }: Awaited<ReturnType<typeof smallServer>>['http']) =>
  new Promise<number>((resolve) => server.getConnections((_error, count) => resolve(count)))

t.test('one stall is no strain; a loop that drags, or a full heap, is', async (t) => {
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

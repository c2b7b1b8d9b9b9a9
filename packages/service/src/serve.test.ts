/** Responses: headers, replies, faults, and the operator's paths. */
import { connect as openSocket } from 'node:net'
import { testDatabase } from '@status-page/testing'
import t from 'tap'
import { type Call, createRoutes } from './call.ts'
import {
  keyCaller,
  ORGANIZATION_ID,
  signCaller,
  THING_ID,
  testApp,
  thingOperations,
  writerHeaders,
} from './contract.test-kit.ts'

const things = '/api/v1/things'

t.test('HEAD works like GET, without a body', async (t) => {
  const { app } = testApp(t)
  const url = `${things}/${THING_ID}`
  const get = await app.inject({ method: 'GET', url, headers: writerHeaders })
  const head = await app.inject({ method: 'HEAD', url, headers: writerHeaders })
  t.equal(head.statusCode, 200)
  t.equal(head.body, '')
  t.equal(head.headers['content-length'], get.headers['content-length'])
})

t.test('x-request-id is echoed when well formed, else generated', async (t) => {
  const { app } = testApp(t)
  const made = /^[0-9a-f-]{36}$/
  const cases: [string, RegExp][] = [
    ['a.B-3:_', /^a\.B-3:_$/],
    ['x'.repeat(128), /^x{128}$/],
    ['x'.repeat(129), made],
    ['a b', made],
    ['', made],
  ]
  for (const url of [`${things}/${THING_ID}`, '/nowhere', '/%ff', '/health']) {
    for (const [given, pattern] of cases) {
      const headers = { ...writerHeaders, 'x-request-id': given }
      const response = await app.inject({ url, headers })
      t.match(response.headers['x-request-id'], pattern, `${url} ${given}`)
    }
  }
})

t.test(
  'every response forbids sniffing and storing, unless the handler overrides it',
  async (t) => {
    const { app } = testApp(t)
    for (const url of [`${things}/${THING_ID}`, '/nowhere', '/%ff', '/health']) {
      const response = await app.inject({ url, headers: writerHeaders })
      t.match(response.headers, {
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    }
    const page = await app.inject({ url: '/things/page', headers: writerHeaders })
    t.equal(page.headers['cache-control'], 'public, max-age=5')
    t.equal(page.headers['content-type'], 'text/html; charset=utf-8')
    t.equal(page.body, '<p>hi</p>')
    t.same(page.headers['set-cookie'], ['one=1; Path=/', 'two=2; Path=/'])
  },
)

t.test('a reply contains the fields of the contract, with times in ISO 8601', async (t) => {
  const { app } = testApp(t)
  const response = await app.inject({ url: `${things}/${THING_ID}`, headers: writerHeaders })
  t.equal(response.headers['content-type'], 'application/json; charset=utf-8')
  t.same(response.json(), {
    id: THING_ID,
    at: '1970-01-01T00:00:00.000Z',
    count: 1,
    inner: { shown: 'yes' },
  })
})

t.test('a fault is a 500 with nothing but the request id', async (t) => {
  const { app } = testApp(t)
  const url = `${things}/${ORGANIZATION_ID}`
  const response = await app.inject({ url, headers: { ...writerHeaders, 'x-request-id': 'r1' } })
  t.equal(response.statusCode, 500)
  t.same(response.json(), {
    error: {
      code: 'INTERNAL_ERROR',
      message: 'An unexpected error occurred',
      details: { requestId: 'r1' },
    },
  })
})

t.test('a GET whose handler writes is a fault, not a lack of capacity', async (t) => {
  const clone = await testDatabase(t, { services: ['core'], folders: {} })
  const database = await clone.database('core')
  const write = async ({ read }: Call) => {
    await read(({ tx }) => tx.execute('CREATE TABLE things ()'))
    return { got: null }
  }
  const { list } = thingOperations
  const { app } = testApp(t, { database, routes: createRoutes({ list }, { list: write as never }) })
  const headers = { 'x-caller': signCaller(keyCaller('components:read')), 'x-request-id': 'r1' }
  const response = await app.inject({ url: things, headers })
  t.equal(response.statusCode, 500)
  t.same(response.json().error.details, { requestId: 'r1' })
})

t.test('a reply that violates the contract is a 500', async (t) => {
  const { app } = testApp(t, {
    routes: createRoutes(
      { read: thingOperations.read },
      { read: async () => ({ id: THING_ID }) as never },
    ),
  })
  const response = await app.inject({ url: `${things}/${THING_ID}`, headers: writerHeaders })
  t.equal(response.statusCode, 500)
})

t.test('a request that is not HTTP gets an error of the contract', async (t) => {
  const { app } = testApp(t)
  await app.listen({ host: '127.0.0.1', port: 0 })
  const { port } = app.server.address() as { port: number }
  const send = (text: string): Promise<string> =>
    new Promise((resolve, reject) => {
      const socket = openSocket(port, '127.0.0.1', () => socket.write(text))
      let response = ''
      socket.on('data', (chunk) => {
        response += chunk
      })
      socket.on('close', () => resolve(response)).on('error', reject)
    })
  const cases: [string, string, RegExp][] = [
    [
      'headers above 16 KiB',
      `GET / HTTP/1.1\r\nHost: a\r\nX: ${'x'.repeat(17_000)}\r\n\r\n`,
      /^HTTP\/1.1 431 [\s\S]*HEADERS_TOO_LARGE/,
    ],
    ['nonsense', 'HELLO\r\n\r\n', /^HTTP\/1.1 400 [\s\S]*VALIDATION_ERROR/],
    [
      'length and chunks',
      'POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      /^HTTP\/1.1 400 /,
    ],
    [
      'two hosts',
      'GET /health HTTP/1.1\r\nHost: a\r\nHost: b\r\nConnection: close\r\n\r\n',
      /^HTTP\/1.1 400 [\s\S]*VALIDATION_ERROR/,
    ],
  ]
  for (const [name, text, pattern] of cases) t.match(await send(text), pattern, name)
})

t.test('health, readiness and metrics', async (t) => {
  const isUp = { ping: async () => {} } as never
  const isDown = { ping: async () => Promise.reject(new Error('down')) } as never
  const { app } = testApp(t, { database: isUp, metricsToken: 'a-token-of-metrics' })
  const down = testApp(t, { database: isDown })
  t.same((await app.inject('/health')).json(), { status: 'ok' })
  t.equal((await app.inject('/readyz')).statusCode, 200)
  t.equal((await down.app.inject('/health')).statusCode, 200)
  t.equal((await down.app.inject('/readyz')).statusCode, 503)
  t.equal((await app.inject('/metrics')).statusCode, 401)
  await app.inject({ url: `${things}/${THING_ID}`, headers: writerHeaders })
  await app.inject('/nowhere')
  const headers = { authorization: 'Bearer a-token-of-metrics' }
  const { body } = await app.inject({ url: '/metrics', headers })
  t.match(body, 'http_requests_total{operation="things.read",status="200"} 1')
  t.match(body, 'http_requests_total{operation="none",status="404"} 1')
  t.notMatch(body, THING_ID)
  await Promise.all(Array.from({ length: 300 }, () => app.inject('/nowhere')))
  const later = (await app.inject({ url: '/metrics', headers })).body
  t.match(later, 'http_requests_total{operation="none",status="404"} 301')
  t.match(later, /http_request_duration_seconds_count\{operation="none"\} 30\d/)
})

t.test('metrics are unknown on a public port without a token', async (t) => {
  const { app } = testApp(t, { exposure: 'public' })
  t.equal((await app.inject('/metrics')).statusCode, 404)
  const withToken = testApp(t, { exposure: 'public', metricsToken: 'a-token-of-metrics' })
  const headers = { authorization: 'Bearer a-token-of-metrics' }
  t.equal((await withToken.app.inject('/metrics')).statusCode, 401)
  t.equal((await withToken.app.inject({ url: '/metrics', headers })).statusCode, 200)
})

t.test('hooks of `extra` cover operations, health and unknown paths', async (t) => {
  const urls: string[] = []
  const { app } = testApp(t, {
    extra: async (fastify) => {
      fastify.addHook('onRequest', async ({ url }) => void urls.push(url))
    },
  })
  for (const url of ['/health', '/nowhere', things])
    await app.inject({ url, headers: writerHeaders })
  t.same(urls, ['/health', '/nowhere', things])
})

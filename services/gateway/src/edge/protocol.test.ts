/** Raw messages at the socket: ambiguous shapes, slow senders, unsupported methods. */
import type { AddressInfo } from 'node:net'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { createHttp, createLogger, type ServiceApp } from '@status-page/service'
import t from 'tap'
import { testGateway } from '../gateway.fixture.ts'
import { edgeServerOptions } from './server.ts'

const portOf = (server: { address(): unknown }) => (server.address() as AddressInfo).port

const listen = async ({ http }: ServiceApp): Promise<number> => {
  await http.listen({ host: '127.0.0.1', port: 0 })
  return portOf(http.server)
}

/** Sends a message; returns everything received until the server closes the connection. */
const exchange = (port: number, message: string): Promise<string> => {
  const socket = connect(port, '127.0.0.1')
  socket.write(message)
  return text(socket)
}

const bodyOf = (response: string) => JSON.parse(response.slice(response.indexOf('\r\n\r\n') + 4))

const crlf = (...lines: string[]) => `${lines.join('\r\n')}\r\n\r\n`
const post = 'POST /api/v1/auth/login HTTP/1.1'
const get = 'GET /api/v1/public/status/acme HTTP/1.1'
const close = 'Connection: close'

const unreadable: Record<string, string> = {
  'both lengths': `${crlf(post, 'Host: a', 'Content-Length: 5', 'Transfer-Encoding: chunked')}0\r\n\r\n`,
  'two lengths': `${crlf(post, 'Host: a', 'Content-Length: 2', 'Content-Length: 3')}{} `,
  'a coding after chunked': crlf(post, 'Host: a', 'Transfer-Encoding: chunked, identity'),
  'an unknown coding': crlf(post, 'Host: a', 'Transfer-Encoding: xchunked'),
  'bare line feeds': `${get}\nHost: a\n\n`,
  'a bare line feed in a header': crlf(get, 'Host: a\nX-A: b'),
  'a bare carriage return': crlf(get, 'Host: a\rX-A: b'),
  'a folded line': crlf(get, 'Host: a', 'X-A: b', ' c'),
  'a space before the colon': crlf(get, 'Host : a'),
  'a chunk that ends in a line feed': `${crlf(post, 'Host: a', 'Transfer-Encoding: chunked')}2\n{}`,
}

t.test('ambiguous messages are 400 and close the connection', async (t) => {
  const gateway = await testGateway(t)
  const port = await listen(gateway)
  for (const [name, message] of Object.entries(unreadable)) {
    const response = await exchange(port, message)
    t.match(response, /^HTTP\/1\.1 400 /, name)
    t.equal(bodyOf(response).error.code, 'VALIDATION_ERROR', name)
    t.match(response, /x-request-id: /)
    t.match(response, /connection: close/i)
    t.match(response, /x-ratelimit-limit: 100000\r\n/, name)
    t.match(response, /content-security-policy: /, name)
    t.equal(response.match(/HTTP\/1\.1 /g)?.length, 1, `${name}: nothing after it is a request`)
  }
  t.same(gateway.inner.requests, [])
})

t.test('headers above 16 KiB are 431', async (t) => {
  const port = await listen(await testGateway(t))
  const response = await exchange(port, crlf(get, 'Host: a', `X-A: ${'b'.repeat(17_000)}`))
  t.match(response, /^HTTP\/1\.1 431 /)
  t.match(response, /x-ratelimit-remaining: 99999\r\n/)
  t.equal(bodyOf(response).error.code, 'HEADERS_TOO_LARGE')
})

t.test('no Host, two Hosts and HTTP/0.9 are 400 with all headers', async (t) => {
  const gateway = await testGateway(t)
  const port = await listen(gateway)
  for (const message of [
    crlf(get, close),
    crlf(get, 'Host: a', 'host: b', close),
    'GET /api/v1/public/status/acme\r\n\r\n',
  ]) {
    const response = await exchange(port, message)
    t.match(response, /^HTTP\/1\.1 400 /, message)
    t.equal(bodyOf(response).error.code, 'VALIDATION_ERROR')
    t.match(response, /x-ratelimit-limit: \d/)
    t.match(response, /content-security-policy: /)
    t.match(response, /x-request-id: /)
  }
  t.same(gateway.inner.requests, [])
})

t.test(
  'a URL in absolute form is routed by its path; an unknown expectation is ignored',
  async (t) => {
    const gateway = await testGateway(t)
    const port = await listen(gateway)
    const absolute = 'GET http://evil.test/api/v1/public/status/acme HTTP/1.1'
    t.match(await exchange(port, crlf(absolute, 'Host: a', close)), /^HTTP\/1\.1 200 /)
    t.equal(gateway.inner.requests.at(-1)?.url, '/api/v1/public/status/acme')
    t.match(await exchange(port, crlf(get, 'Host: a', 'Expect: tea', close)), /^HTTP\/1\.1 200 /)
    const upgrade = ['Connection: upgrade, close', 'Upgrade: websocket']
    t.match(await exchange(port, crlf(get, 'Host: a', ...upgrade)), /^HTTP\/1\.1 200 /)
  },
)

t.test('unsupported methods are 405 on a known path, also with an override header', async (t) => {
  const gateway = await testGateway(t)
  const port = await listen(gateway)
  const cases: [string, string, RegExp][] = [
    ['OPTIONS', '/api/v1/components', /allow: GET, HEAD, POST/],
    ['PROPFIND', '/api/v1/components', /allow: GET, HEAD, POST/],
    ['TRACE', '/health', /allow: GET, HEAD/],
    ['POST', '/api/docs', /allow: GET, HEAD/],
    ['PUT', '/api/docs/json', /allow: GET, HEAD/],
    ['TRACE', '/api/docs/', /allow: GET, HEAD/],
  ]
  for (const [method, path, allow] of cases) {
    const head = `${method} ${path} HTTP/1.1`
    const override = 'X-HTTP-Method-Override: GET'
    const response = await exchange(
      port,
      crlf(head, 'Host: a', override, 'Content-Length: 0', close),
    )
    t.match(response, /^HTTP\/1\.1 405 /, head)
    t.match(response, allow)
    t.notMatch(response, /access-control-/)
  }
  t.equal((await gateway.http.inject({ method: 'HEAD', url: '/api/docs/json' })).statusCode, 200)
  t.equal((await gateway.http.inject({ method: 'POST', url: '/api/docs/no' })).statusCode, 404)
})

t.test('paths that the router would reject are 404, authenticated and rate limited', async (t) => {
  const gateway = await testGateway(t)
  for (const url of ['/%ff', `/api/v1/components/${'x'.repeat(513)}`, `/${'%20'.repeat(400)}`]) {
    const response = await gateway.http.inject({ url })
    t.equal(response.statusCode, 404)
    t.equal(response.headers['x-ratelimit-limit'], '100000')
  }
})

const SLOW_SOCKETS = 60

t.test('slow headers and slow bodies are cut off while other requests are served', async (t) => {
  const edge = edgeServerOptions([], ({ url = '/' }) => url)
  const timing = { headersTimeout: 400, connectionsCheckingInterval: 50 }
  const http = createHttp({
    logger: createLogger({ service: 'gateway', level: 'silent' }),
    known: [],
    fastify: { ...edge, requestTimeout: 600, http: { ...edge.http, ...timing } },
  })
  t.teardown(() => http.close())
  http.get('/quick', async () => ({ quick: true }))
  http.addContentTypeParser('*', { parseAs: 'buffer' }, async () => null)
  http.post('/slow', async () => ({}))
  await http.listen({ host: '127.0.0.1', port: 0 })
  const port = portOf(http.server)
  const slow = Array.from({ length: SLOW_SOCKETS }, (_one, index) =>
    exchange(
      port,
      index % 2 === 0
        ? `${get}\r\nX-`
        : crlf('POST /slow HTTP/1.1', 'Host: a', 'Content-Type: text/plain', 'Content-Length: 9'),
    ),
  )
  t.equal((await fetch(`http://127.0.0.1:${port}/quick`)).status, 200)
  for (const response of await Promise.all(slow)) t.match(response, /^HTTP\/1\.1 400 |^$/)
})

t.test('the server has the designed timeouts and connection limit', async (t) => {
  const { http } = await testGateway(t)
  await http.ready()
  t.match(http.server, {
    requestTimeout: 30_000,
    headersTimeout: 15_000,
    keepAliveTimeout: 75_000,
    maxConnections: 10_000,
    timeout: 90_000,
  })
})

t.test(
  'wrong methods are 405 with Allow, regardless of the body and of more general paths',
  async (t) => {
    const { http } = await testGateway(t)
    const requests = [
      ['GET', '/api/v1/subscribers/import'],
      ['PATCH', '/api/v1/subscribers/import', 'application/json'],
      ['OPTIONS', '/api/v1/subscribers/import'],
      ['QUERY', '/api/v1/subscribers/import'],
      ['GET', '/api/v1/notifications/replay'],
      ['PUT', '/api/v1/notifications/replay', 'text/plain'],
      ['GET', '/api/v1/public/subscriptions/confirm'],
      ['PATCH', '/api/v1/public/subscriptions/confirm', 'text/plain'],
      ['QUERY', '/api/v1/public/subscriptions/confirm', 'application/json'],
    ] as const
    for (const [method, url, type] of requests) {
      const body = type === undefined ? {} : { payload: '{', headers: { 'content-type': type } }
      const response = await http.inject({ method: method as 'GET', url, ...body })
      t.equal(response.statusCode, 405, `${method} ${url}`)
      t.equal(response.headers.allow, 'POST', `${method} ${url}`)
      t.ok(response.headers['x-ratelimit-limit'], 'it counts for the rate limits')
    }
    const query = await http.inject({ method: 'QUERY' as 'GET', url: '/api/v1/api-keys' })
    t.equal(query.statusCode, 405)
    t.equal(query.headers.allow, 'GET, HEAD, POST')
  },
)

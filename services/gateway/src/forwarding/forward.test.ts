/** Upstreams that are down, late or broken, and oversized responses. */
import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { callerSigner, createHttp, createLogger } from '@status-page/service'
import { tcpTarget } from '@status-page/testing'
import t from 'tap'
import { forwardedOperations } from '../app.ts'
import { asMember, registerMember, testGateway } from '../gateway.fixture.ts'
import { unidentifiedCaller } from '../identity/sessions/identified-caller.ts'
import { noDiskStore } from '../page-cache/disk-store.ts'
import { createPageCache } from '../page-cache/page-cache.ts'
import { createPageEventHub } from '../page-events/page-events.ts'
import { type ForwardingOptions, registerForwarding } from './forward.ts'

const url = '/api/v1/public/status/acme'

t.test('a service that is down is 503 with Retry-After', async (t) => {
  const gateway = await testGateway(t)
  await gateway.inner.close()
  const response = await gateway.http.inject({ url })
  t.equal(response.statusCode, 503)
  t.equal(response.json().error.code, 'SERVICE_UNAVAILABLE')
  t.ok(Number(response.headers['retry-after']) >= 1)
  t.notMatch(response.body, /127\.0\.0\.1|ECONN/)
})

t.test('a service that is not configured is 503', async (t) => {
  const gateway = await testGateway(t, { CORE_URL: '' })
  t.equal((await gateway.http.inject({ url })).statusCode, 503)
})

t.test('malformed responses and broken connections are 502', async (t) => {
  const nonsense = await tcpTarget(t, (socket) => socket.end('nonsense\r\n\r\n'))
  const silent = await tcpTarget(t, (socket) => socket.destroy())
  const torn = await tcpTarget(t, (socket) => {
    socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":')
  })
  for (const { port } of [nonsense, silent, torn]) {
    const gateway = await testGateway(t, { CORE_URL: `http://127.0.0.1:${port}` })
    const response = await gateway.http.inject({ url })
    t.equal(response.statusCode, 502)
    t.equal(response.json().error.code, 'UPSTREAM_ERROR')
  }
})

t.test('responses pass with their status; only listed headers pass', async (t) => {
  const gateway = await testGateway(t)
  gateway.inner.respond({
    status: 404,
    headers: {
      'content-type': 'application/json',
      'cache-control': 'public, max-age=5',
      etag: '"1"',
      'access-control-allow-origin': '*',
      'set-cookie': 'inner=1',
      'x-powered-by': 'inner',
      'x-request-id': 'inner',
    },
    body: '{"error":{"code":"NOT_FOUND","message":"Page not found"}}',
  })
  const response = await gateway.http.inject({ url })
  t.equal(response.statusCode, 404)
  t.equal(response.json().error.message, 'Page not found')
  t.match(response.headers, {
    'cache-control': 'public, max-age=5',
    etag: '"1"',
    'access-control-allow-origin': '*',
  })
  t.equal(response.headers['set-cookie'], undefined)
  t.equal(response.headers['x-powered-by'], undefined)
  t.not(response.headers['x-request-id'], 'inner')
})

t.test('a ping is forwarded with its body, whatever its Content-Type', async (t) => {
  const gateway = await testGateway(t)
  const types = ['text/plain', 'nonsense', 'a/b/c', ';', '']
  for (const type of types) {
    const response = await gateway.http.inject({
      method: 'POST',
      url: `/api/v1/hooks/heartbeat/${'t'.repeat(43)}`,
      headers: { 'content-type': type },
      payload: `type ${type}`,
    })
    t.equal(response.statusCode, 200, type)
  }
  t.same(
    gateway.inner.requests.map(({ body }) => String(body)),
    types.map((type) => `type ${type}`),
  )
})

t.test('a short JSON response passes with the same bytes', async (t) => {
  const gateway = await testGateway(t)
  const body = JSON.stringify({ text: 'ü€😀' })
  const headers = {
    'content-type': 'application/json; charset=utf-8',
    'content-length': String(Buffer.byteLength(body)),
  }
  gateway.inner.respond({ headers, body })
  const response = await gateway.http.inject({ url })
  t.equal(response.body, body)
  t.match(response.headers, headers)
})

t.test('a large response is streamed completely', async (t) => {
  const gateway = await testGateway(t)
  const body = JSON.stringify({ text: 'x'.repeat(3 * 1024 * 1024) })
  gateway.inner.respond({ headers: { 'content-type': 'application/json' }, body })
  const response = await gateway.http.inject({ url })
  t.equal(response.body.length, body.length)
})

const { privateKey } = generateKeyPairSync('ed25519')

/** Forwarding alone, with a short response timeout. */
const serverWithShortTimeout = async (
  t: { teardown(work: () => unknown): void },
  coreUrl: string,
  pages?: NonNullable<ForwardingOptions['pages']>,
) => {
  const logger = createLogger({ service: 'gateway', level: 'silent' })
  const http = createHttp({ logger, known: [] })
  t.teardown(() => http.close())
  http.decorateRequest('identified')
  http.addHook('onRequest', async (request) => {
    request.identified = unidentifiedCaller
  })
  registerForwarding(http, {
    operations: forwardedOperations.filter(({ id }) => id === 'public.status'),
    origins: { core: coreUrl },
    signer: callerSigner({ issuer: 'gateway', privateKey }),
    responseTimeoutMs: 100,
    ...(pages === undefined ? {} : { pages }),
  })
  return http
}

t.test('a missing or incomplete response is 504 after the timeout', async (t) => {
  const silent = await tcpTarget(t, () => {})
  const stalled = await tcpTarget(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half":')
  })
  for (const { port } of [silent, stalled]) {
    const http = await serverWithShortTimeout(t, `http://127.0.0.1:${port}`)
    const response = await http.inject({ url })
    t.equal(response.statusCode, 504)
    t.equal(response.json().error.code, 'UPSTREAM_TIMEOUT')
  }
})

t.test('a GET request is repeated when a pooled connection breaks', async (t) => {
  let asked = 0
  const target = await tcpTarget(t, (socket) => {
    socket.once('data', () => {
      asked++
      if (asked === 1) socket.destroy()
      else socket.end('HTTP/1.1 200 OK\r\ncontent-length: 2\r\nconnection: close\r\n\r\n{}')
    })
  })
  const gateway = await testGateway(t, { CORE_URL: `http://127.0.0.1:${target.port}` })
  t.equal((await gateway.http.inject({ url })).statusCode, 200)
  t.equal(asked, 2)
  asked = 0
  const headers = asMember(await registerMember(gateway))
  const create = { method: 'POST', url: '/api/v1/components', headers, payload: {} } as const
  t.equal((await gateway.http.inject(create)).statusCode, 502)
  t.equal(asked, 1, 'a request with possible effects is not repeated')
})

t.test('access revoked while a cached body is compressed: the page is not sent', async (t) => {
  const core = createServer((_request, response) => {
    const isRevoked = revocations > 0
    response.writeHead(isRevoked ? 404 : 200, {
      'cache-control': isRevoked ? 'no-store' : 'public, max-age=30',
      etag: '"1"',
      'x-internal-organization': 'organization-1',
      'content-length': '2000',
    })
    response.end('x'.repeat(2_000))
  })
  await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve))
  t.teardown(() => core.close())
  let revocations = 0
  let served = 0
  const cache = createPageCache({ disk: noDiskStore })
  const revoking = Object.assign(Object.create(cache), {
    async serve(request: Parameters<typeof cache.serve>[0]) {
      const response = await cache.serve(request)
      if (++served === 2) {
        revocations++
        cache.purge('organization-1')
      }
      return response
    },
    isRevoked: cache.isRevoked.bind(cache),
  })
  const { port } = core.address() as AddressInfo
  const events = createPageEventHub({ cache })
  const pages = { cache: revoking, events, fastPath: { remember: () => {} } }
  const http = await serverWithShortTimeout(t, `http://127.0.0.1:${port}`, pages)
  const headers = { 'accept-encoding': 'br' }
  t.equal((await http.inject({ url, headers })).statusCode, 200)
  t.equal((await http.inject({ url, headers })).statusCode, 404)
  t.equal(served, 3, 'the revoked entry is discarded and the page is requested again')
})

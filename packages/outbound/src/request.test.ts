import { createServer } from 'node:net'
import { httpTarget } from '@status-page/testing'
import t from 'tap'
import { dnsServer } from './dns-server.fixture.ts'
import { get, listening, outboundFor, stall, web } from './loopback.fixture.ts'
import { createOutbound } from './outbound.ts'
import { outboundPolicy } from './policy.ts'
import type { OutboundRequest } from './request.ts'
import { createDnsResolver } from './resolve.ts'
import { resolveUrl } from './target.ts'

t.test('a response has status, headers, body and the durations of its phases', async (t) => {
  const { url, seen } = await web(t, (request, response) => {
    response.writeHead(201, { 'X-Twice': ['a', 'b'] }).end(`${request.method} ${request.url}`)
  })
  const outbound = outboundFor(t)
  const answer = await outbound.request(get(`${url}path?q=1`, { method: 'POST', body: 'x' }))
  if (!answer.ok) throw new Error(answer.error)
  t.equal(answer.status, 201)
  t.equal(answer.headers['x-twice'], 'a, b')
  t.equal(answer.body.toString(), 'POST /path?q=1')
  t.equal(answer.truncated, false)
  t.equal(answer.timings.tlsMs, null)
  for (const phase of ['dnsMs', 'connectMs', 'firstByteMs', 'totalMs'] as const) {
    t.type(answer.timings[phase], 'number', phase)
  }
  await outbound.request(get(url))
  t.equal(seen.connections, 2, 'a check has a connection of its own')
})

t.test('pooled requests share a connection within their pool only', async (t) => {
  const { url, seen } = await web(t, (_request, response) => response.end('ok'))
  const outbound = outboundFor(t)
  const ask = (pool: string) => outbound.request(get(url, { fresh: false, pool }))
  for (let turn = 0; turn < 20; turn += 1) t.equal((await ask('webhook')).ok, true)
  const shared = seen.connections
  t.ok(shared <= 4, 'four connections to one origin at most')
  await ask('slack')
  t.equal(seen.connections, shared + 1)
})

t.test('a connection that was established during a stall is in time', async (t) => {
  const { port } = await listening(t, createServer())
  const target = { url: `tcp://127.0.0.1:${port}`, send: null, maxBytes: 0 }
  const connected = outboundFor(t).connect({ ...target, timeoutMs: 20 })
  stall(60)
  t.match(await connected, { ok: true })
})

t.test('a response that arrived during a stall is in time', async (t) => {
  const { url } = await web(t, (_request, response) => {
    response.end('ok')
    stall(600)
  })
  t.match(await outboundFor(t).request(get(url, { firstByteTimeoutMs: 500 })), { ok: true })
})

t.test('a request has no headers besides the given ones', async (t) => {
  const { url } = await web(t, (request, response) => response.end(JSON.stringify(request.headers)))
  const answer = await outboundFor(t).request(get(url, { headers: { 'x-a': '1' } }))
  const headers = answer.ok ? JSON.parse(answer.body.toString()) : {}
  t.same(Object.keys(headers).sort(), ['accept-encoding', 'connection', 'host', 'x-a'])
  t.equal(headers['accept-encoding'], 'identity')
})

t.test('a rejected header, method or address opens no connection', async (t) => {
  const { url, seen } = await web(t, (_request, response) => response.end())
  const outbound = outboundFor(t)
  const refused: Partial<OutboundRequest>[] = [
    { headers: { Host: 'x' } },
    { headers: { 'x-a': 'a\r\nX-B: b' } },
    { method: 'get' as never },
    { method: 'CONNECT' as never },
    { url: 'http://169.254.169.254/' },
    { url: 'http://[::ffff:127.0.0.1]/' },
  ]
  for (const more of refused) {
    for (const fresh of [true, false]) {
      const answer = await outbound.request(get(url, { ...more, fresh }))
      t.match(answer, { ok: false, error: 'blocked', durationMs: 0 })
    }
  }
  const strict = outboundFor(t, { allowCidrs: [] })
  t.match(await strict.request(get(url)), { ok: false, error: 'blocked' })
  const own = outboundFor(t, { ownHosts: [url] })
  t.match(await own.request(get(url)), { ok: false, error: 'blocked' })
  t.equal(seen.connections, 0)
})

t.test('a name is validated at each connect', async (t) => {
  const canary = await web(t, (_request, response) => response.end())
  const zone: Record<string, { a?: string[]; aaaa?: string[] }> = {
    'rebind.example.com': { a: ['8.8.8.8'] },
    'mixed.example.com': { a: ['8.8.8.8'], aaaa: ['::1'] },
    'both.example.com': { a: ['8.8.8.8', '127.0.0.1'] },
    'meta.example.com': { a: ['169.254.169.254'] },
    'mapped.example.com': { aaaa: ['::ffff:7f00:1'] },
  }
  const dns = await dnsServer(t, zone)
  const resolver = createDnsResolver({ servers: [dns.server] })
  const policy = outboundPolicy({ allowCidrs: [], ownHosts: [], resolver })
  const at = (name: string) => `http://${name}:${canary.port}/`

  t.equal((await resolveUrl(at('rebind.example.com'), policy)).ok, true, 'public when it is saved')
  zone['rebind.example.com'] = { a: ['127.0.0.1'] }
  t.match(await resolveUrl(at('meta.example.com'), policy), { ok: false, reason: 'blocked' })
  t.equal((await resolveUrl(at('absent.example.com'), policy)).ok, true, 'no record yet')

  const outbound = outboundFor(t, { allowCidrs: [], resolver })
  for (const name of ['rebind', 'mixed', 'both', 'meta', 'mapped']) {
    for (const fresh of [true, false]) {
      const answer = await outbound.request(get(at(`${name}.example.com`), { fresh }))
      t.match(answer, { ok: false, error: 'blocked' }, name)
    }
  }
  t.match(await outbound.request(get(at('absent.example.com'))), { ok: false, error: 'dns_error' })
  t.equal(canary.seen.connections, 0)
})

t.test(
  'a name that only our resolver knows is really reached, with its name as host',
  async (t) => {
    const target = await web(t, (request, response) => response.end(request.headers.host))
    const dns = await dnsServer(t, { 'only.example.test': { a: ['127.0.0.1'], aaaa: 'silent' } })
    const outbound = outboundFor(t, { resolver: createDnsResolver({ servers: [dns.server] }) })
    const answer = await outbound.request(get(`http://only.example.test:${target.port}/`))
    t.equal(answer.ok && answer.body.toString(), `only.example.test:${target.port}`)
    t.ok(dns.questions.includes('A only.example.test'))
    t.ok(dns.questions.includes('AAAA only.example.test'))
  },
)

t.test('localhost is loopback without DNS', async (t) => {
  const target = await web(t, (_request, response) => response.end('ok'))
  const dns = await dnsServer(t, {})
  const outbound = outboundFor(t, { resolver: createDnsResolver({ servers: [dns.server] }) })
  t.equal((await outbound.request(get(`http://localhost:${target.port}/`))).ok, true)
  t.same(dns.questions, [])
})

t.test('the deadline of a request starts when it has a connection', async (t) => {
  const hung = Promise.withResolvers<object>()
  const target = await httpTarget(t, ({ url }) => (url === '/hangs' ? hung.promise : {}))
  const policy = outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] })
  const outbound = createOutbound({ policy, connectionsPerHost: 1 })
  t.teardown(() => {
    hung.resolve({})
    return outbound.close()
  })
  const ask = (path: string) =>
    outbound.request({
      url: `${target.url}${path}`,
      method: 'GET',
      headers: {},
      timeoutMs: 1_000,
      maxBodyBytes: 1_000,
      pool: 'test',
    })
  const [first, second] = await Promise.all([ask('/hangs'), ask('/answers')])
  t.match(first, { ok: false, error: 'timeout' })
  t.match(second, { ok: true, status: 200 })
})

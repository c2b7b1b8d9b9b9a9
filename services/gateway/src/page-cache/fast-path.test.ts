/** The short way says what the long way said, counts like it, and leaves to it whatever is not the same. */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { runDue, testGateway } from '../gateway.fixture.ts'

const url = '/status/acme'
const asBrowser = { accept: 'text/html', 'accept-encoding': 'gzip, br' }

const pageOf = (words: string) => {
  const body = `<p>${words}</p>`.repeat(200)
  const headers = {
    'content-length': String(body.length),
    'content-type': 'text/html; charset=utf-8',
    'x-internal-organization': 'acme',
    'cache-control': 'public, max-age=2',
    etag: `"${words}"`,
    vary: 'accept',
    'content-security-policy': "default-src 'none'; img-src https:",
  }
  return { headers, body }
}

/** A gateway that counts the answers that it gave in full. */
const counting = async (t: Test, settings = {}) => {
  const gateway = await testGateway(t, settings)
  gateway.inner.respond(pageOf('first'))
  let inFull = 0
  gateway.http.addHook('onSend', async () => {
    inFull++
  })
  const origin = await gateway.http.listen({ host: '127.0.0.1', port: 0 })
  const look = async (headers: Record<string, string> = {}, path = url) => {
    const asked = { headers: { ...asBrowser, ...headers }, reset: true }
    const { statusCode, headers: stored, body } = await request(`${origin}${path}`, asked)
    return { statusCode, headers: stored, body: Buffer.from(await body.arrayBuffer()) }
  }
  return { ...gateway, origin, look, inFull: () => inFull }
}

type Headers = Readonly<Record<string, unknown>>

/** Without what differs from one answer to the next. */
const stable = ({
  date: _date,
  'x-request-id': _id,
  'x-ratelimit-remaining': _left,
  'x-ratelimit-reset': _reset,
  ...headers
}: Headers) => headers

t.test('what was said in full is said again, header for header', async (t) => {
  const { http, look, inFull } = await counting(t)
  for (const path of [url, '/api/v1/public/status/acme']) {
    const before = inFull()
    const first = await look({}, path)
    const again = await look({ 'x-request-id': 'mine' }, path)
    t.equal(inFull(), before + 1)
    t.equal(again.statusCode, 200)
    t.same(again.body, first.body)
    t.same(stable(again.headers), stable(first.headers))
    t.equal(again.headers['x-request-id'], 'mine')
    const left = ({ headers }: typeof first) => Number(headers['x-ratelimit-remaining'])
    t.equal(left(again), left(first) - 1)
    const tag = { 'if-none-match': String(first.headers.etag) }
    const known = await look(tag, path)
    const knownInFull = await look(tag, `${path}?utm=1`)
    t.equal(inFull(), before + 2)
    t.same([known.statusCode, known.body.length], [304, 0])
    const { 'cache-control': policy, etag, vary, ...others } = stable(known.headers)
    t.match(stable(knownInFull.headers), { 'cache-control': policy, etag, vary, ...others })
    t.same(etag, first.headers.etag)
    t.notOk('content-security-policy' in others, 'said with the whole, and held with it')
  }
  const { body: metrics } = await http.inject({ url: '/metrics' })
  for (const status of [200, 304]) {
    t.match(metrics, `http_requests_total{operation="pages.show",status="${status}"} 2`)
  }
})

t.test('whatever is asked otherwise goes the long way', async (t) => {
  const { http, origin, look, inFull } = await counting(t)
  await look()
  const others = [{ accept: 'text/markdown' }, { 'accept-encoding': 'gzip' }]
  for (const [index, headers] of others.entries()) {
    await look(headers)
    t.equal(inFull(), index + 2, JSON.stringify(headers))
  }
  const head = await http.inject({ method: 'HEAD', url, headers: asBrowser })
  t.same([head.statusCode, head.body, inFull()], [200, '', 4])
  const { port } = new URL(origin)
  const say = (lines: string[]) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${[`GET ${url} HTTP/1.1`, 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`)
    return text(socket)
  }
  const asked = Object.entries(asBrowser).map((pair) => pair.join(': '))
  t.match(await say(['Host: a', ...asked]), /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i)
  t.equal(inFull(), 4)
  t.match(await say(['Host: a', 'host: b', ...asked]), /^HTTP\/1\.1 400 /)
  t.match(await say(asked), /^HTTP\/1\.1 400 /)
})

t.test('it counts as the long way does, up to the limit', async (t) => {
  const { look } = await counting(t, { RATE_LIMIT_PUBLIC_READ: '3', RATE_LIMIT_MULTIPLIER: '1' })
  for (const left of ['2', '1', '0']) {
    const { statusCode, headers } = await look()
    t.same([statusCode, headers['x-ratelimit-remaining']], [200, left])
  }
  const refused = await look()
  t.equal(refused.statusCode, 429)
  t.match(JSON.parse(String(refused.body)).error, {
    code: 'RATE_LIMIT_EXCEEDED',
    details: { limit: 3 },
  })
  t.ok(Number(refused.headers['retry-after']) >= 1)
})

t.test('behind a proxy each client is counted by itself, whatever the header says', async (t) => {
  const { look, inFull } = await counting(t, { TRUST_PROXY_CIDRS: '127.0.0.0/8' })
  const leftFor = async (forwarded: string) => {
    const { headers } = await look({ 'x-forwarded-for': forwarded })
    return Number(headers['x-ratelimit-remaining'])
  }
  const first = await leftFor('192.0.2.1')
  t.equal(await leftFor('192.0.2.1'), first - 1)
  t.equal(await leftFor('192.0.2.2'), first)
  t.equal(await leftFor('192.0.2.2, 192.0.2.1'), first - 2, 'the last one that a proxy has seen')
  t.equal(await leftFor('2001:db8::1'), first)
  t.equal(await leftFor('2001:db8::2'), first - 1, 'of one network')
  for (const odd of ['', ',', 'nobody', '1.2.3.4.5', '::g', '127.0.0.1', '%00, 127.0.0.1'])
    t.type(await leftFor(odd), 'number', odd)
  t.equal(inFull(), 1)
})

t.test('a domain that leads to another page says nothing of the first', async (t) => {
  const gateway = await counting(t)
  const { inner, look, inFull } = gateway
  const lead = async (slug: string) => {
    const domains = [{ domain: 'status.acme.test', slug }]
    inner.respond({ body: JSON.stringify({ domains, isLast: true }) })
    await runDue(gateway, 'page-domains')
    inner.respond(pageOf(slug))
  }
  const host = { host: 'status.acme.test' }
  for (const [index, slug] of ['acme', 'other'].entries()) {
    await lead(slug)
    for (let count = 0; count < 2; count++) {
      t.match((await look(host, '/')).headers, { etag: `W/"${slug}"` })
      t.equal(inFull(), index + 1)
    }
  }
  t.equal((await look({}, '/')).statusCode, 404)
})

t.test('it says nothing that is no longer true', async (t) => {
  const { look, inner } = await counting(t)
  const first = await look()
  inner.respond(pageOf('second'))
  await eventually(async () => (await look()).headers.etag === 'W/"second"')
  t.notSame((await look()).body, first.body)
  inner.respond({ ...pageOf('third'), status: 404 })
  await eventually(async () => (await look()).statusCode === 404)
  t.equal((await look({ 'if-none-match': 'W/"second"' })).statusCode, 404)
})

t.test('a crowd that meets a change is answered as each of it alone', async (t) => {
  const { look, inner } = await counting(t)
  await look()
  // No change is notified here: what is kept is revalidated after its maximum age.
  inner.respond({ ...pageOf('closed'), status: 404 })
  let crowd: Awaited<ReturnType<typeof look>>[] = []
  const statusesAfter = async () => {
    crowd = await Promise.all(Array.from({ length: 20 }, () => look()))
    return new Set(crowd.map(({ statusCode }) => statusCode))
  }
  await eventually(async () => (await statusesAfter()).has(404))
  t.same(await statusesAfter(), new Set([404]))
  const left = crowd.map((one) => Number(one.headers['x-ratelimit-remaining']))
  t.equal(new Set(left).size, crowd.length, 'each is counted')
})

t.test('ways to large answers are fewer, however they are spelled', async (t) => {
  const { look, inner, inFull } = await counting(t)
  const body = 'x'.repeat(1_000_000)
  const { headers } = pageOf('large')
  inner.respond({ headers: { ...headers, 'content-length': String(body.length) }, body })
  const spelled = (count: number) => look({ 'accept-encoding': 'identity' }, `${url}?v=${count}`)
  const WAYS = 80
  for (let count = 0; count < WAYS; count++) await spelled(count)
  t.equal(inFull(), WAYS)
  await spelled(WAYS - 1)
  t.equal(inFull(), WAYS)
  await spelled(0)
  t.equal(inFull(), WAYS + 1, 'the oldest is forgotten')
})

/**
 * Fast path: it writes the same responses as the normal path, charges the same limits, and leaves
 * every other request to it.
 */
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { eventually } from '@status-page/testing'
import t, { type Test } from 'tap'
import { request } from 'undici'
import { metricsHeaders, runJob, testGateway } from '../gateway.fixture.ts'

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

/** Gateway that counts the responses of the normal path. */
const counting = async (t: Test, settings = {}) => {
  const gateway = await testGateway(t, settings)
  gateway.inner.respond(pageOf('first'))
  let normalPathCount = 0
  gateway.http.addHook('onSend', async () => {
    normalPathCount++
  })
  const origin = await gateway.http.listen({ host: '127.0.0.1', port: 0 })
  const requestPage = async (headers: Record<string, string> = {}, path = url) => {
    const requestCount = { headers: { ...asBrowser, ...headers }, reset: true }
    const { statusCode, headers: stored, body } = await request(`${origin}${path}`, requestCount)
    return { statusCode, headers: stored, body: Buffer.from(await body.arrayBuffer()) }
  }
  return { ...gateway, origin, requestPage, normalPathCount: () => normalPathCount }
}

type Headers = Readonly<Record<string, unknown>>

/** Response without headers that differ between requests. */
const stable = ({
  date: _date,
  'x-request-id': _id,
  'x-ratelimit-remaining': _left,
  'x-ratelimit-reset': _reset,
  ...headers
}: Headers) => headers

t.test('the fast path repeats the response of the normal path header for header', async (t) => {
  const { http, requestPage, normalPathCount } = await counting(t)
  for (const path of [url, '/api/v1/public/status/acme']) {
    const before = normalPathCount()
    const first = await requestPage({}, path)
    const again = await requestPage({ 'x-request-id': 'mine' }, path)
    t.equal(normalPathCount(), before + 1)
    t.equal(again.statusCode, 200)
    t.same(again.body, first.body)
    t.same(stable(again.headers), stable(first.headers))
    t.equal(again.headers['x-request-id'], 'mine')
    const left = ({ headers }: typeof first) => Number(headers['x-ratelimit-remaining'])
    t.equal(left(again), left(first) - 1)
    const tag = { 'if-none-match': String(first.headers.etag) }
    const known = await requestPage(tag, path)
    const knownInFull = await requestPage(tag, `${path}?utm=1`)
    t.equal(normalPathCount(), before + 2)
    t.same([known.statusCode, known.body.length], [304, 0])
    const { 'cache-control': policy, etag, vary, ...others } = stable(known.headers)
    t.match(stable(knownInFull.headers), { 'cache-control': policy, etag, vary, ...others })
    t.same(etag, first.headers.etag)
    t.notOk('content-security-policy' in others, 'part of the 200 response only')
  }
  const { body: metrics } = await http.inject({ url: '/metrics', headers: metricsHeaders })
  for (const status of [200, 304]) {
    t.match(metrics, `http_requests_total{operation="pages.show",status="${status}"} 2`)
  }
})

t.test('requests of any other form take the normal path', async (t) => {
  const { http, origin, requestPage, normalPathCount } = await counting(t)
  await requestPage()
  const others = [{ accept: 'text/markdown' }, { 'accept-encoding': 'gzip' }]
  for (const [index, headers] of others.entries()) {
    await requestPage(headers)
    t.equal(normalPathCount(), index + 2, JSON.stringify(headers))
  }
  const head = await http.inject({ method: 'HEAD', url, headers: asBrowser })
  t.same([head.statusCode, head.body, normalPathCount()], [200, '', 4])
  const { port } = new URL(origin)
  const respondWith = (lines: string[]) => {
    const socket = connect(Number(port), '127.0.0.1')
    socket.write(`${[`GET ${url} HTTP/1.1`, 'Connection: close', ...lines].join('\r\n')}\r\n\r\n`)
    return text(socket)
  }
  const requestCount = Object.entries(asBrowser).map((pair) => pair.join(': '))
  t.match(
    await respondWith(['Host: a', ...requestCount]),
    /^HTTP\/1\.1 200 [\s\S]*\r\nConnection: close\r\n/i,
  )
  t.equal(normalPathCount(), 4)
  t.match(await respondWith(['Host: a', 'host: b', ...requestCount]), /^HTTP\/1\.1 400 /)
  t.match(await respondWith(requestCount), /^HTTP\/1\.1 400 /)
})

t.test('the fast path charges the rate limit like the normal path', async (t) => {
  const { requestPage } = await counting(t, {
    RATE_LIMIT_PUBLIC_READ: '3',
    RATE_LIMIT_MULTIPLIER: '1',
  })
  for (const left of ['2', '1', '0']) {
    const { statusCode, headers } = await requestPage()
    t.same([statusCode, headers['x-ratelimit-remaining']], [200, left])
  }
  const refused = await requestPage()
  t.equal(refused.statusCode, 429)
  t.match(JSON.parse(String(refused.body)).error, {
    code: 'RATE_LIMIT_EXCEEDED',
    details: { limit: 3 },
  })
  t.ok(Number(refused.headers['retry-after']) >= 1)
})

t.test('clients behind a proxy are counted separately, regardless of forged headers', async (t) => {
  const { requestPage, normalPathCount } = await counting(t, { TRUST_PROXY_CIDRS: '127.0.0.0/8' })
  const leftFor = async (forwarded: string) => {
    const { headers } = await requestPage({ 'x-forwarded-for': forwarded })
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
  t.equal(normalPathCount(), 1)
})

t.test('a custom domain that moves to another page no longer serves the first', async (t) => {
  const gateway = await counting(t)
  const { inner, requestPage, normalPathCount } = gateway
  const lead = async (slug: string) => {
    const domains = [{ domain: 'status.acme.test', slug }]
    inner.respond({ body: JSON.stringify({ domains, isLast: true }) })
    await runJob(gateway, 'page-domains')
    inner.respond(pageOf(slug))
  }
  const host = { host: 'status.acme.test' }
  for (const [index, slug] of ['acme', 'other'].entries()) {
    await lead(slug)
    for (let count = 0; count < 2; count++) {
      t.match((await requestPage(host, '/')).headers, { etag: `W/"${slug}"` })
      t.equal(normalPathCount(), index + 1)
    }
  }
  t.equal((await requestPage({ accept: 'application/json' }, '/')).statusCode, 404)
})

t.test('the fast path serves no changed or closed page', async (t) => {
  const { requestPage, inner } = await counting(t)
  const first = await requestPage()
  inner.respond(pageOf('second'))
  await eventually(async () => (await requestPage()).headers.etag === 'W/"second"')
  t.notSame((await requestPage()).body, first.body)
  inner.respond({ ...pageOf('third'), status: 404 })
  await eventually(async () => (await requestPage()).statusCode === 404)
  t.equal((await requestPage({ 'if-none-match': 'W/"second"' })).statusCode, 404)
})

t.test('concurrent requests after a change get the same responses as single ones', async (t) => {
  const { requestPage, inner } = await counting(t)
  await requestPage()
  // Changes are not notified in this test; the entry is revalidated after its maximum age.
  inner.respond({ ...pageOf('closed'), status: 404 })
  let responses: Awaited<ReturnType<typeof requestPage>>[] = []
  const statusesAfter = async () => {
    responses = await Promise.all(Array.from({ length: 20 }, () => requestPage()))
    return new Set(responses.map(({ statusCode }) => statusCode))
  }
  await eventually(async () => (await statusesAfter()).has(404))
  t.same(await statusesAfter(), new Set([404]))
  const left = responses.map((one) => Number(one.headers['x-ratelimit-remaining']))
  t.equal(new Set(left).size, responses.length, 'each request is charged')
})

t.test('large responses are bounded in number', async (t) => {
  const { requestPage, inner, normalPathCount } = await counting(t)
  const body = 'x'.repeat(1_000_000)
  const { headers } = pageOf('large')
  inner.respond({ headers: { ...headers, 'content-length': String(body.length) }, body })
  const requestLarge = (count: number) =>
    requestPage({ 'accept-encoding': 'identity' }, `${url}-${count}`)
  const MAX_LARGE_RESPONSES = 40
  for (let count = 0; count < MAX_LARGE_RESPONSES; count++) await requestLarge(count)
  t.equal(normalPathCount(), MAX_LARGE_RESPONSES)
  await requestLarge(MAX_LARGE_RESPONSES - 1)
  t.equal(normalPathCount(), MAX_LARGE_RESPONSES)
  await requestLarge(0)
  t.equal(normalPathCount(), MAX_LARGE_RESPONSES + 1, 'the oldest is evicted')
})

t.test('all spellings of a request share one response', async (t) => {
  const { requestPage, inner, normalPathCount } = await counting(t)
  const first = await requestPage({}, `${url}?v=1`)
  for (const path of [`${url}?v=2`, url]) {
    const before = normalPathCount()
    for (let count = 0; count < 2; count++) {
      const { statusCode, headers, body } = await requestPage({}, path)
      t.same([statusCode, stable(headers), body], [200, stable(first.headers), first.body])
    }
    t.equal(normalPathCount(), before + 1, 'a new spelling takes the normal path once')
  }
  t.equal(inner.requests.filter((one) => one.url.startsWith(url)).length, 1)
})

t.test('the fast path serves each visitor of a page its own language', async (t) => {
  const { inner, requestPage, normalPathCount } = await counting(t)
  const inLocale = (locale: string) => {
    const { headers, body } = pageOf(locale)
    const language = { 'content-language': locale, 'x-internal-locales': 'en de' }
    return { headers: { ...headers, vary: 'accept, accept-language', ...language }, body }
  }
  const languages = { en: 'en-GB,en', de: 'de-AT;q=0.9,en;q=0.8' }
  for (const [locale, accepted] of Object.entries(languages)) {
    inner.respond(inLocale(locale))
    const { headers } = await requestPage({ 'accept-language': accepted })
    t.match(headers, { 'content-language': locale, vary: /accept-language/ })
    t.equal(headers['x-internal-locales'], undefined)
  }
  const before = normalPathCount()
  for (const [accepted, locale] of [
    ['de', 'de'],
    ['fr,de;q=0.1', 'de'],
    ['fr', 'en'],
    ['de;q=0.1,en', 'en'],
  ] as const) {
    const { headers } = await requestPage({ 'accept-language': accepted })
    t.equal(headers['content-language'], locale, accepted)
  }
  t.equal(normalPathCount(), before, 'all from the fast path')
})

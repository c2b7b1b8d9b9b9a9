/** Rate limits at the edge: shared by all replicas, described in every response, never absent. */
import t from 'tap'
import {
  asKey,
  asMember,
  createApiKey,
  gatewayOver,
  registerMember,
  runJob,
  type TestGateway,
  testGateway,
} from '../gateway.fixture.ts'
import { createCounting } from './counting.ts'

const ones = { RATE_LIMIT_MULTIPLIER: '1' }

/** Number of parallel requests that are not refused. */
const admittedOf = async ({ http }: Pick<TestGateway, 'http'>, count: number) => {
  const responses = await Promise.all(
    Array.from({ length: count }, () => http.inject({ url: '/api/v1/nothing' })),
  )
  return responses.filter(({ statusCode }) => statusCode === 404).length
}

const sum = (counts: readonly number[] = []): number =>
  counts.reduce((total, count) => total + count, 0)

t.test('200 parallel requests over two replicas at limit 100: exactly 100 pass', async (t) => {
  const first = await testGateway(t, ones)
  const second = gatewayOver(t, await first.databases.connect('gateway'), ones)
  const responses = await Promise.all(
    Array.from({ length: 200 }, (_one, index) =>
      (index % 2 === 0 ? first : second).http.inject({ url: '/api/v1/nothing' }),
    ),
  )
  const statuses = responses.map(({ statusCode }) => statusCode)
  t.equal(statuses.filter((status) => status === 404).length, 100)
  const refused = responses.filter(({ statusCode }) => statusCode === 429)
  t.equal(refused.length, 100)
  const [one] = refused
  t.match(one?.json().error, {
    code: 'RATE_LIMIT_EXCEEDED',
    details: { limit: 100, window: '60s', bucket: 'global', retryAfter: Number },
  })
  t.match(one?.headers, {
    'x-ratelimit-limit': '100',
    'x-ratelimit-remaining': '0',
    'x-ratelimit-reset': /^\d{10}$/,
  })
  const retryAfter = Number(one?.headers['retry-after'])
  t.ok(retryAfter >= 1 && retryAfter <= 60)
  t.equal(retryAfter, one?.json().error.details.retryAfter)
})

t.test(
  'headers describe the tightest bucket, and a refused request does not charge it',
  async (t) => {
    const gateway = await testGateway(t, { RATE_LIMIT_MULTIPLIER: '1' })
    const member = await registerMember(gateway)
    const { key } = await createApiKey(gateway, member, ['components:read'])
    const callApi = () => gateway.http.inject({ url: '/api/v1/components', headers: asKey(key) })
    const limits: unknown[] = []
    for (let count = 0; count < 22; count++) {
      const { headers } = await callApi()
      limits.push([headers['x-ratelimit-limit'], headers['x-ratelimit-remaining']].join(' '))
    }
    t.equal(limits[0], '20 19')
    t.equal(limits[19], '20 0')
    t.equal(limits[21], '20 0')
    const [row] = await gateway.database.batchSql`
    SELECT counts FROM rate_windows WHERE key LIKE 'endpoint|components.list|%'`
    t.equal(sum(row?.counts), 20)
    t.equal(gateway.inner.requests.length, 20)
    const other = await gateway.http.inject({ url: '/api/v1/auth/me', headers: asKey(key) })
    t.equal(other.statusCode, 200, 'another operation has its own counter')
  },
)

t.test("a session has limits of its own, apart from its address's", async (t) => {
  const gateway = await testGateway(t, { ...ones, RATE_LIMIT_SESSION: '40' })
  const member = await registerMember(gateway)
  t.equal(await admittedOf(gateway, 120), 99, 'registration and these fill the global bucket')
  const url = '/api/v1/components'
  const call = () => gateway.http.inject({ url, headers: asMember(member) })
  for (let count = 1; count <= 40; count++) {
    const { statusCode, headers } = await call()
    t.equal(statusCode, 200)
    t.match(headers, {
      'x-ratelimit-limit': '40',
      'x-ratelimit-remaining': String(40 - count),
    })
  }
  const refused = await call()
  t.equal(refused.statusCode, 429)
  t.match(refused.json().error.details, { bucket: 'session', limit: 40, window: '60s' })
})

t.test('forged session cookies count for the address', async (t) => {
  const gateway = await testGateway(t, { ...ones, RATE_LIMIT_SESSION: '30' })
  const statuses: Record<number, number> = {}
  const details: unknown[] = []
  for (let count = 0; count < 160; count++) {
    const token = String(count).padStart(43, 'x')
    const response = await gateway.http.inject({
      url: '/api/v1/components',
      headers: { cookie: `session=${token}` },
    })
    statuses[response.statusCode] = (statuses[response.statusCode] ?? 0) + 1
    if (response.statusCode === 429) details.push(response.json().error.details)
  }
  t.same(statuses, { 401: 20, 429: 140 }, 'the endpoint bucket of an anonymous caller')
  t.match(details[0], { bucket: 'endpoint', limit: 20 })
  t.match(details.at(-1), { bucket: 'session', limit: 150 }, 'no query beyond 150')
})

t.test('public reads are counted in memory and synchronized between replicas', async (t) => {
  const settings = { ...ones, RATE_LIMIT_PUBLIC_READ: '10' }
  const first = await testGateway(t, settings)
  const second = gatewayOver(t, await first.databases.connect('gateway'), {
    ...settings,
    CORE_URL: first.inner.url,
  })
  const url = '/api/v1/public/status/acme'
  for (let count = 0; count < 6; count++) {
    t.equal((await first.http.inject({ url })).statusCode, 200)
  }
  const rows = await first.database.batchSql`SELECT FROM rate_windows`
  t.equal(rows.length, 0, 'no query for a public read')
  await runJob(first, 'rate-exchange')
  t.equal((await second.http.inject({ url })).headers['x-ratelimit-remaining'], '9')
  await runJob(second, 'rate-exchange')
  const response = await second.http.inject({ url })
  t.equal(response.headers['x-ratelimit-remaining'], '2', 'the other replica counts too')
})

t.test('one gateway: exactly 100 of 200 parallel requests pass at limit 100', async (t) => {
  const gateway = await testGateway(t, ones)
  t.equal(await admittedOf(gateway, 30), 30)
  t.equal(await admittedOf(gateway, 170), 70)
  const [row] = await gateway.database.batchSql`SELECT counts FROM rate_windows`
  t.equal(sum(row?.counts), 100, 'a refusal adds nothing')
})

t.test('a full window refuses requests without a query', async (t) => {
  const gateway = await testGateway(t, ones)
  t.equal(await admittedOf(gateway, 101), 100)
  await gateway.database.batchSql`DELETE FROM rate_windows`
  t.equal(await admittedOf(gateway, 20), 0)
})

t.test('a window continues in memory while Postgres is down', async (t) => {
  const gateway = await testGateway(t, ones)
  const database = await gateway.databases.connect('gateway')
  const cut = gatewayOver(t, database, ones)
  t.equal(await admittedOf(cut, 40), 40)
  await database.close()
  t.equal(await admittedOf(cut, 80), 60)
})

t.test('charges of an outage are stored once Postgres responds again', async (t) => {
  const { database } = await testGateway(t, ones)
  let nowMs = Date.now()
  let isDown = false
  const charge = (...query: Parameters<typeof database.batchSql>) =>
    isDown ? Promise.reject(new Error('down')) : database.batchSql(...query)
  const flaky = { ...database, batchSql: charge as unknown as typeof database.batchSql }
  const counting = createCounting({ database: flaky, now: () => nowMs })
  const window = { windowMs: 60_000, capacity: 100 }
  await counting.charge('key', window)
  isDown = true
  for (let count = 0; count < 7; count++) await counting.charge('key', window)
  isDown = false
  await counting.sync()
  const stored = async () =>
    sum((await database.batchSql`SELECT counts FROM rate_windows`)[0]?.counts)
  t.equal(await stored(), 1, 'the database gets a second to recover')
  nowMs += 1_001
  await counting.sync()
  t.equal(await stored(), 8)
  const { total } = await counting.charge('key', window)
  t.equal(total, 9)
})

t.test('a forwarded address counts only behind a trusted proxy', async (t) => {
  const gateway = await testGateway(t, ones)
  const trusting = gatewayOver(t, gateway.database, { ...ones, TRUST_PROXY_CIDRS: '127.0.0.0/8' })
  const remaining = async (app: typeof trusting, forwarded: string) =>
    (
      await app.http.inject({
        url: '/api/v1/nothing',
        headers: { 'x-forwarded-for': forwarded },
      })
    ).headers['x-ratelimit-remaining']
  t.equal(await remaining(gateway, '203.0.113.1'), '99')
  t.equal(await remaining(gateway, '203.0.113.2'), '98', 'spoofed')
  t.equal(await remaining(trusting, '203.0.113.1'), '99')
  t.equal(await remaining(trusting, '198.51.100.7, 203.0.113.1'), '98', 'right-most untrusted')
  t.equal(await remaining(trusting, '2001:db8::1'), '99')
  t.equal(await remaining(trusting, '2001:db8::ffff:1'), '98', 'one /64')
})

/** Rate limits at the edge: shared by all replicas, described in every response, never absent. */
import t from 'tap'
import {
  asKey,
  createApiKey,
  gatewayOver,
  registerMember,
  runJob,
  testGateway,
} from '../gateway.fixture.ts'

t.setTimeout(120_000)

const ones = { RATE_LIMIT_MULTIPLIER: '1' }

t.test('200 parallel requests over two replicas at limit 100: exactly 100 pass', async (t) => {
  const first = await testGateway(t, ones)
  const second = gatewayOver(t, await first.databases.connect('gateway'), ones)
  const answers = await Promise.all(
    Array.from({ length: 200 }, (_one, index) =>
      (index % 2 === 0 ? first : second).http.inject({ url: '/api/v1/nothing' }),
    ),
  )
  const statuses = answers.map(({ statusCode }) => statusCode)
  t.equal(statuses.filter((status) => status === 404).length, 100)
  const refused = answers.filter(({ statusCode }) => statusCode === 429)
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
    const counts: number[] = row?.counts ?? []
    t.equal(
      counts.reduce((sum, one) => sum + one, 0),
      20,
    )
    t.equal(gateway.inner.requests.length, 20)
    const other = await gateway.http.inject({ url: '/api/v1/auth/me', headers: asKey(key) })
    t.equal(other.statusCode, 200, 'another operation has its own counter')
  },
)

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
  const answer = await second.http.inject({ url })
  t.equal(answer.headers['x-ratelimit-remaining'], '2', 'the other replica counts too')
})

t.test('windows are counted in memory while Postgres is down', async (t) => {
  const gateway = await testGateway(t, ones)
  const database = await gateway.databases.connect('gateway')
  const cut = gatewayOver(t, database, ones)
  await cut.http.ready()
  await database.close()
  const answers = await Promise.all(
    Array.from({ length: 120 }, () => cut.http.inject({ url: '/api/v1/nothing' })),
  )
  const statuses = answers.map(({ statusCode }) => statusCode)
  t.equal(statuses.filter((status) => status === 404).length, 100)
  t.equal(statuses.filter((status) => status === 429).length, 20)
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

/** Query of a proxy before it orders a certificate on demand. */
import { httpTarget, testDatabase } from '@status-page/testing'
import t from 'tap'
import { gatewayOver, runJob } from '../gateway.fixture.ts'

const core = await httpTarget(t, {
  headers: { 'content-type': 'application/json' },
  body: '{"domains":[{"domain":"status.acme.test","slug":"acme"}],"isLast":true}',
})
const databases = await testDatabase(t, { services: ['gateway'] })
const gateway = gatewayOver(t, await databases.database('gateway'), { CORE_URL: core.url })
await runJob(gateway, 'page-domains')

const statusOf = async (query: string, headers = {}) =>
  (await gateway.http.inject({ url: `/certificate-hosts${query}`, headers })).statusCode

t.test('only active custom domains and the own host may receive a certificate', async (t) => {
  t.equal(await statusOf('?domain=status.acme.test'), 200)
  t.equal(await statusOf('?domain=Status.Acme.Test'), 200)
  t.equal(await statusOf('?domain=status.test'), 200, 'host of BASE_URL')
  const refused = ['evil.test', 'status.acme.test.evil.test', '', '%00', '*.acme.test']
  for (const domain of refused) t.equal(await statusOf(`?domain=${domain}`), 404, domain)
  t.equal(await statusOf(`?domain=${'a'.repeat(5_000)}`), 404, 'longer than a host name')
  t.equal(await statusOf('?domain=status.acme.test&domain=evil.test'), 404, 'two names')
  t.equal(await statusOf(''), 404, 'no name')
})

t.test(
  'the query needs neither credentials nor a rate limit, and is unknown to visitors',
  async (t) => {
    const reply = await gateway.http.inject({ url: '/certificate-hosts?domain=status.acme.test' })
    t.equal(reply.headers['x-ratelimit-limit'], undefined)
    t.same(reply.json(), { domain: 'status.acme.test', isServed: true })
    t.equal(await statusOf('?domain=status.acme.test', { host: 'status.acme.test' }), 404)
  },
)

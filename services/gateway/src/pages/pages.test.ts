/** What a gateway hears while it runs: who may see pages has changed; core is not there yet. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { AppError } from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import type { Client } from '@status-page/service'
import { eventually } from '@status-page/testing'
import t from 'tap'
import { testGateway } from '../gateway.fixture.ts'
import { createPageDomains } from './domains.ts'

t.test('a page that is closed anywhere is gone here, even while core is away', async (t) => {
  const organizationId = newId()
  const body = 'for everybody'
  let isAway = false
  const core = createServer((_request, response) => {
    if (isAway) response.destroy()
    else {
      response.writeHead(200, {
        ...{ 'cache-control': 'public, max-age=30', etag: '"a"', 'content-type': 'text/html' },
        ...{ 'x-internal-organization': organizationId, 'content-length': body.length },
      })
      response.end(body)
    }
  })
  await new Promise<void>((resolve) => core.listen(0, '127.0.0.1', resolve))
  t.teardown(() => core.close())
  const origin = `http://127.0.0.1:${(core.address() as AddressInfo).port}`
  const gateway = await testGateway(t, { CORE_URL: origin })
  for (const work of gateway.background ?? []) {
    await work.start()
    t.teardown(() => work.stop())
  }
  const look = () => gateway.http.inject({ url: '/status/acme' })
  t.equal((await look()).body, body)
  isAway = true
  t.equal((await look()).body, body)
  await gateway.database.hot`SELECT pg_notify('page_access', ${organizationId})`
  await eventually(async () => (await look()).statusCode >= 500)
})

t.test('a core that is not there yet is no fault of the gateway', async (t) => {
  let asked = 0
  const call = async () => {
    if (++asked === 1) throw new AppError('SERVICE_UNAVAILABLE', 'core is not available')
    return { domains: [{ domain: 'status.acme.test', slug: 'acme' }], isLast: true }
  }
  const core = { call, close: async () => {} } as unknown as Client
  const domains = createPageDomains({ core, folder: null, onError: (error) => t.fail(`${error}`) })
  t.equal(await domains.refresh.run(new AbortController().signal), 0)
  t.same(domains.slugOf('Status.Acme.Test.:8443'), { domain: 'status.acme.test', slug: 'acme' })
  t.equal(domains.slugOf('status.acme.test.evil.test'), null)
  t.equal(domains.slugOf(undefined), null)
})

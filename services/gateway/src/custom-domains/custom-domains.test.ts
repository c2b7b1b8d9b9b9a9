/** The list of custom domains is loaded from core, which may start after the gateway. */
import { AppError } from '@status-page/contracts'
import type { Client } from '@status-page/service'
import t from 'tap'
import { createCustomDomains } from './custom-domains.ts'

t.test('a core that has not started yet is not logged as an error', async (t) => {
  let asked = 0
  const call = async () => {
    if (++asked === 1) throw new AppError('SERVICE_UNAVAILABLE', 'core is not available')
    return { domains: [{ domain: 'status.acme.test', slug: 'acme' }], isLast: true }
  }
  const core = { call, close: async () => {} } as unknown as Client
  const domains = createCustomDomains({
    core,
    folder: null,
    onError: (error) => t.fail(`${error}`),
  })
  t.equal(await domains.refresh.run(new AbortController().signal), 0)
  t.same(domains.targetOf('Status.Acme.Test.:8443'), { domain: 'status.acme.test', slug: 'acme' })
  t.equal(domains.targetOf('status.acme.test.evil.test'), null)
  t.equal(domains.targetOf(undefined), null)
})

/** Logos of another page: downloaded within bounds, stored once, and never an error of the import. */
import { systemActor } from '@status-page/contracts'
import { createOutbound, outboundPolicy } from '@status-page/outbound'
import { transact } from '@status-page/postgres'
import { httpTarget, testCaller } from '@status-page/testing'
import t from 'tap'
import { coreKit } from '../core.fixture.ts'
import { createImageConverter } from '../uploads/images/converter.ts'
import { pictureOf } from '../uploads/images.fixture.ts'
import { downloadLogos, storeLogos } from './logos.ts'

const kit = await coreKit(t)
const outbound = createOutbound({
  policy: outboundPolicy({ allowCidrs: ['127.0.0.0/8'], ownHosts: [] }),
})
t.teardown(() => outbound.close())
const deps = { outbound, images: createImageConverter() }

const page = (more: object) => ({ id: 'p', name: 'Acme', ...more })
const KIB = 1_024

t.test('the largest size of a logo is downloaded, and stored once', async (t) => {
  const site = await httpTarget(t, { body: await pictureOf('png') })
  const organizationId = testCaller().organizationId ?? ''
  const source = page({
    transactional_logo: { normal_url: `${site.url}/normal`, original_url: `${site.url}/original` },
    favicon_logo: `${site.url}/favicon`,
  })
  const downloaded = await downloadLogos(deps, source, organizationId)
  t.same(
    site.requests.map(({ url }) => url),
    ['/original', '/favicon'],
  )
  const by = { organizationId, actor: systemActor }
  const { urls, warnings } = await transact(kit.database, by, async (scope) => {
    const result = await storeLogos(scope, downloaded, 'https://status.test')
    return { result, events: [], audit: result.audit }
  })
  t.match(urls.logoUrl, /^https:\/\/status\.test\/uploads\/[\w-]+\/[0-9a-f]{64}\.png$/)
  t.equal(urls.faviconUrl, urls.logoUrl, 'the same image is one upload')
  t.same(warnings, [])
})

t.test('a missing, large or invalid image is a warning', async (t) => {
  const site = await httpTarget(t, ({ url }) =>
    url === '/large' ? { body: Buffer.alloc(513 * KIB) } : { body: '<html>' },
  )
  const missing = await httpTarget(t, { status: 404 })
  const warningsOf = async (url: string) =>
    (await downloadLogos(deps, page({ transactional_logo: { url } }), 'o')).warnings
  for (const [url, reason] of [
    [`${site.url}/large`, /the response is too large/],
    [`${site.url}/html`, /SVG/],
    [`${missing.url}/x`, /404/],
    ['javascript:alert(1)', /the address is not permitted/],
  ] as const) {
    t.match(await warningsOf(url), [{ field: 'page.transactional_logo', message: reason }], url)
  }
  for (const none of [undefined, null, '', { url: '' }, {}, 5]) {
    const { warnings, images } = await downloadLogos(deps, page({ favicon_logo: none }), 'o')
    t.same([warnings, images.size], [[], 0])
  }
})

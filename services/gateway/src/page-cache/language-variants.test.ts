/** Pages in several languages: one entry per locale, and one upstream request per entry. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Locale } from '@status-page/contracts'
import { visitorLocale } from '@status-page/html'
import t from 'tap'
import type { UpstreamResponse } from '../upstream/upstream-request.ts'
import { createDiskStore, type DiskStore, noDiskStore } from './disk-store.ts'
import { createPageCache } from './page-cache.ts'

const ORGANIZATION = 'organization-1'
const KEY = '["","/status/acme",[],false]'

/** Core that renders a page in the locales, or in its own language alone. */
const start = (disk: DiskStore = noDiskStore) => {
  const core: { locales: [Locale, ...Locale[]]; isAway: boolean } = {
    locales: ['en', 'de', 'ja'],
    isAway: false,
  }
  let time = 1_000_000_000
  const requests: string[] = []
  const cache = createPageCache({ disk, now: () => time })
  const respond = async (acceptLanguage: string): Promise<UpstreamResponse> => {
    if (core.isAway) return { status: 503, headers: {}, body: Buffer.from('{}') }
    const locale = visitorLocale(acceptLanguage, core.locales)
    requests.push(locale)
    return {
      status: 200,
      headers: {
        'cache-control': 'public, max-age=30',
        etag: `"${locale}"`,
        'content-type': 'text/html',
        'content-language': locale,
        'x-internal-organization': ORGANIZATION,
        ...(core.locales.length > 1 ? { 'x-internal-locales': core.locales.join(' ') } : {}),
      },
      body: Buffer.from(`page in ${locale}`),
    }
  }
  const request = async (acceptLanguage: string) => {
    const load = () => respond(acceptLanguage)
    const served = await cache.serve({ key: KEY, acceptLanguage, slug: 'acme', load })
    return served.kind === 'cached'
      ? String(served.entry.body.bytes)
      : `${served.response.status} ${served.response.body}`
  }
  return { cache, core, requests, request, pass: (ms: number) => (time += ms) }
}

t.test('each language of a page is requested once, whatever the headers', async (t) => {
  const { request, requests } = start()
  for (let index = 0; index < 100; index++) {
    t.equal(await request(`de-DE;q=0.${(index % 9) + 1}, x${index};q=0.1`), 'page in de')
    t.equal(await request(`x${index}`), 'page in en')
  }
  t.equal(await request('ja,en;q=0.9'), 'page in ja')
  t.same(requests, ['de', 'en', 'ja'])
})

t.test('concurrent first requests receive their own languages', async (t) => {
  const { request, requests } = start()
  const languages = ['de', 'en', 'ja', 'de', 'en', 'ja', 'xx', '*']
  const pages = await Promise.all(languages.map(request))
  t.same(
    pages,
    ['de', 'en', 'ja', 'de', 'en', 'ja', 'en', 'en'].map((one) => `page in ${one}`),
  )
  t.same(requests.toSorted(), ['de', 'en', 'ja'])
})

t.test('a page that gains or loses a language is served in its present ones', async (t) => {
  const { cache, core, request, requests, pass } = start()
  core.locales = ['en']
  t.equal(await request('de'), 'page in en')
  t.equal(await request('ja'), 'page in en')
  t.same(requests, ['en'], 'a page in one language has one entry')
  core.locales = ['en', 'de']
  pass(1)
  cache.invalidate(ORGANIZATION)
  pass(1)
  t.equal(await request('de'), 'page in de')
  t.equal(await request('en'), 'page in en')
  t.equal(await request('de'), 'page in de')
  t.same(requests, ['en', 'de', 'en'])
  core.locales = ['en']
  pass(1)
  cache.invalidate(ORGANIZATION)
  pass(1)
  t.equal(await request('de'), 'page in en')
  t.equal(await request('de'), 'page in en')
  t.same(requests, ['en', 'de', 'en', 'en'])
})

t.test('while core is down, the language of the visitor precedes that of the page', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'pages-'))
  t.teardown(() => rmSync(folder, { recursive: true, force: true }))
  const store = () => createDiskStore(folder, (error) => t.fail(String(error)))
  const disk = store()
  const before = start(disk)
  await before.request('en')
  await before.request('de')
  await disk.flushed()
  const after = start(store())
  after.core.isAway = true
  t.equal(await after.request('de-CH'), 'page in de')
  t.equal(await after.request('ja'), 'page in en', 'no Japanese page was ever requested')
  t.equal(await after.request('fr'), 'page in en')
})

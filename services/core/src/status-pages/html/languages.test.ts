/** Pages in several languages: negotiated, or chosen by a link that every other link keeps. */
import { ADDRESS_HEADER } from '@status-page/service'
import t from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { publishedOn } from './pages.fixture.ts'

const kit = await coreKit(t)
const german = { 'accept-language': 'de-AT, en;q=0.5' }
const NEGOTIATED = 'accept, accept-language'

const languageOf = (body: string) => /<html lang="(\w+)"/.exec(body)?.[1]

t.test('every page is in the language of the visitor where the page has it', async (t) => {
  const { component, open, plan, get } = await publishedOn(kit, { alternateLocales: ['de', 'ar'] })
  const api = await component('API')
  const incident = await open({ componentIds: [api] })
  const planned = await plan({ componentIds: [api] })
  const paths = [
    '',
    '/history',
    '/uptime',
    `/incidents/${incident.id}`,
    `/maintenances/${planned.id}`,
    '/subscribe',
  ]
  for (const path of paths) {
    for (const [accepted, locale] of [
      ['de-AT, en;q=0.5', 'de'],
      ['fr, ar;q=0.2', 'ar'],
      ['fr', 'en'],
    ] as const) {
      const { statusCode, body, headers } = await get(path, { 'accept-language': accepted })
      t.equal(statusCode, 200)
      t.equal(languageOf(body), locale, `${path} ${accepted}`)
      t.match(headers, {
        'content-language': locale,
        vary: NEGOTIATED,
        'x-internal-locales': 'en de ar',
      })
    }
  }
  const markdown = await get('', { ...german, accept: 'text/markdown' })
  t.match(markdown.headers, { 'content-language': 'de', vary: NEGOTIATED })
  t.match((await get('', german)).body, 'Teilweise eingeschränkter Betrieb')
})

t.test('a page in one language ignores the visitor', async (t) => {
  const { component, get } = await publishedOn(kit)
  await component('API')
  const plain = await get('')
  for (const [path, headers] of [
    ['', german],
    ['?locale=de', {}],
    ['?locale=en', {}],
  ] as const) {
    const { body, headers: own } = await get(path, headers)
    t.equal(body, plain.body)
    t.match(own, { vary: 'accept', etag: plain.headers.etag })
    t.equal(own['x-internal-locales'], undefined)
  }
  t.notMatch(plain.body, 'hreflang')
})

t.test('a chosen language holds for every link, whatever the browser prefers', async (t) => {
  const { component, get, post, slug } = await publishedOn(kit, { alternateLocales: ['ja'] })
  await component('API')
  const { body, headers } = await get('?locale=ja', german)
  t.equal(languageOf(body), 'ja')
  t.match(headers, { vary: 'accept', 'content-language': 'ja' })
  t.equal(headers['x-internal-locales'], undefined)
  const page = `${BASE_URL}/status/${slug}`
  t.match(body, `<link rel="canonical" href="${page}?locale=ja">`)
  t.match(body, `<link rel="alternate" hreflang="x-default" href="${page}">`)
  t.match(body, `<link rel="alternate" hreflang="en" href="${page}?locale=en">`)
  t.match(body, `data-events="/status/${slug}/live?locale=ja"`)
  t.match(body, `href="/status/${slug}?locale=en" lang="en" hreflang="en">English</a>`)
  t.match(body, `lang="ja" hreflang="ja" aria-current="true">日本語</a>`)
  const own = [...body.matchAll(/href="(\/status\/[^"#]*)/g)].map(([, path = '']) => path)
  t.ok(own.length > 4)
  t.same(
    own.filter((path) => !path.includes('locale=')),
    [],
  )
  const asked = await post('/subscribe?locale=ja', { type: 'email', email: 'ana@example.com' })
  t.equal(asked.headers.location, `/status/${slug}/subscribe?asked=email&locale=ja`)
  const refused = await post('/subscribe?locale=ja', { type: 'email', email: 'nonsense' })
  t.same([refused.statusCode, languageOf(refused.body)], [400, 'ja'])
  t.equal((await get('?locale=xx')).statusCode, 400)
  t.equal(languageOf((await get('?locale=de')).body), 'en', 'a language that the page lacks')
})

t.test('a restricted page is negotiated as well, and not cached', async (t) => {
  const { component, get } = await publishedOn(kit, {
    alternateLocales: ['de'],
    visibility: 'ip_allowlist',
    allowedIpRanges: ['203.0.113.0/24'],
  })
  await component('API')
  const { body, headers } = await get('', { ...german, [ADDRESS_HEADER]: '203.0.113.7' })
  t.equal(languageOf(body), 'de')
  t.match(headers, { 'cache-control': 'no-store', 'x-internal-locales': 'en de' })
})

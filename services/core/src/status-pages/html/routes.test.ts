/** Pages as visitors get them: complete without scripts, and without data they may not see. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { locales, postmortemOperations } from '@status-page/contracts'
import t from 'tap'
import { BASE_URL, coreKit } from '../../core.fixture.ts'
import { pageLanguage } from '../page-language.ts'
import { publishedOn } from './pages.fixture.ts'

const kit = await coreKit(t)
const HOSTILE = '</title></script><svg onload=alert(1)>"\'&'
/** Height of the frame in the README. */
const EMBED_HEIGHT_PX = 48
const REM_PX = 16
const BORDER_PX = 1
const MAX_PACKED_BYTES = 30 * 1024
const MAX_SCRIPT_BYTES = 5 * 1024

const inner = { style: /<style>(.*?)<\/style>/gs, script: /<script[^>]*>(.*?)<\/script>/gs }

const hashesIn = (body: string, tag: keyof typeof inner) =>
  [...body.matchAll(inner[tag])].map(
    ([, text = '']) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`,
  )

t.test(
  'a page has its active incidents, components, planned maintenances and history',
  async (t) => {
    const { component, open, postUpdate, plan, get, slug } = await publishedOn(kit)
    const [api, web] = [await component('API'), await component('Web')]
    await component('Read replica', { parentComponentId: web })
    const past = await open({ title: 'Slow search', componentIds: [web] })
    await postUpdate(past.id, { status: 'resolved', message: 'It is fast again.' })
    const minor = await open({ title: 'A small thing', impact: 'minor', componentIds: [web] })
    const worst = await open({
      title: 'API errors',
      impact: 'critical',
      message: 'See https://example.com/a?b=1&c=2.',
      componentStatuses: { [api]: 'major_outage' },
    })
    const planned = await plan({ componentIds: [api] })
    const { statusCode, headers, body } = await get('')
    t.equal(statusCode, 200)
    t.match(headers, {
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'public, max-age=30, stale-while-revalidate=60, stale-if-error=86400',
      'content-language': 'en',
      vary: 'accept',
    })
    for (const text of [
      'Major system outage',
      'Major outage',
      'Slow search',
      'It is fast again.',
    ]) {
      t.match(body, text)
    }
    t.match(body, '<a href="https://example.com/a?b=1&amp;c=2" rel="nofollow">')
    t.match(body, `href="/status/${slug}/incidents/${worst.id}"`)
    t.match(body, `href="/status/${slug}/maintenances/${planned.id}"`)
    t.match(body, '<summary>Subcomponents: 1</summary>')
    t.ok(body.indexOf(worst.title) < body.indexOf(minor.title), 'the worst comes first')
    t.match(body, /<title>Major system outage – Acme<\/title>/)
    t.match(body, '<meta property="og:description" content="Major system outage: API errors;')
  },
)

t.test('a page with an active incident only denies other recent incidents', async (t) => {
  for (const locale of locales) {
    const { component, open, get } = await publishedOn(kit, { locale })
    await component('API')
    const recent = async () => /<p class="card calm">([^<]*)<\/p>/.exec((await get('')).body)?.[1]
    const none = await recent()
    await open({ title: 'API errors' })
    const noOther = await recent()
    t.ok(none && noOther && none !== noOther, `${locale}: ${none} / ${noOther}`)
    if (locale !== 'en') continue
    t.equal(none, 'No incidents reported in the last 14 days.')
    t.equal(noOther, 'No other incidents reported in the last 14 days.')
  }
})

t.test('the content security policy allows exactly what the page contains', async (t) => {
  const { component, get } = await publishedOn(kit, { theme: { primaryColor: '#ffee00' } })
  await component('API')
  const { headers, body } = await get('')
  const policy = String(headers['content-security-policy'])
  t.match(policy, "default-src 'none'")
  for (const hash of hashesIn(body, 'style')) t.match(policy, `style-src ${hash}`)
  const scripts = hashesIn(body, 'script')
  t.equal(scripts.length, 2)
  t.match(policy, `script-src ${scripts.join(' ')};`)
  t.notMatch(policy, 'unsafe')
  t.notMatch(body, / (?:style|on\w+)="/, 'neither styles nor handlers in attributes')
  const length = [...body.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)]
    .map(([text]) => text)
    .join('')
  t.ok(gzipSync(length).length <= MAX_SCRIPT_BYTES)
})

t.test(
  'a maintenance within 24 hours stands above the components, a later one below',
  async (t) => {
    const { component, plan, get } = await publishedOn(kit)
    await component('API')
    const at = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString()
    await plan({ title: 'Soon', scheduledFor: at(23), scheduledUntil: at(24) })
    await plan({ title: 'Later', scheduledFor: at(25), scheduledUntil: at(26) })
    const { body } = await get('')
    const positions = ['id="soon"', '>Soon<', 'id="systems"', 'id="planned"', '>Later<'].map(
      (text) => body.indexOf(text),
    )
    t.same(
      positions,
      positions.toSorted((left, right) => left - right),
    )
    t.notOk(positions.includes(-1))
  },
)

t.test('an open incident shows its newest update and folds the others', async (t) => {
  const { component, open, postUpdate, get } = await publishedOn(kit)
  const incident = await open({ message: 'First.', componentIds: [await component('API')] })
  await postUpdate(incident.id, { message: 'Second.' })
  await postUpdate(incident.id, { message: 'Third.' })
  const { body } = await get('')
  const folded = body.indexOf('<summary>Earlier updates: 2</summary>')
  t.ok(folded > body.indexOf('Third.'))
  t.ok(folded < body.indexOf('Second.'))
  const { body: own } = await get(`/incidents/${incident.id}`)
  t.notMatch(own, 'Earlier updates', 'its own page shows all')
})

t.test('a page of fifty components with ninety days stays within the size budget', async (t) => {
  const { component, get } = await publishedOn(kit)
  for (let index = 0; index < 50; index++) await component(`Component number ${index}`)
  const { body } = await get('')
  t.equal([...body.matchAll(/<svg class="bars"/g)].length, 50)
  t.ok(gzipSync(body).length <= MAX_PACKED_BYTES)
})

t.test('texts of a tenant are escaped on every page', async (t) => {
  const { component, open, postUpdate, plan, get } = await publishedOn(kit, {
    name: HOSTILE,
    description: HOSTILE,
  })
  const api = await component(HOSTILE, { description: HOSTILE })
  const incident = await open({ title: HOSTILE, message: HOSTILE, componentIds: [api] })
  await postUpdate(incident.id, { message: HOSTILE })
  const planned = await plan({ title: HOSTILE, message: HOSTILE })
  const paths = ['', '/history', `/incidents/${incident.id}`, `/maintenances/${planned.id}`]
  for (const path of [...paths, '/subscribe', '/embed', '/favicon.svg', '/sitemap.xml']) {
    const { statusCode, body } = await get(path)
    t.equal(statusCode, 200, path)
    t.notMatch(body, '<svg onload', path)
    t.notMatch(body, '</title></script>', path)
  }
  const { body } = await get('/embed.js')
  t.notMatch(body, '</script>')
  const { body: text } = await get('', { accept: 'text/markdown' })
  t.notMatch(text, /^<\/title>/m)
})

t.test('every language has its texts and its direction', async (t) => {
  for (const locale of locales) {
    const { component, get } = await publishedOn(kit, { locale, timezone: 'Asia/Tokyo' })
    await component('API')
    const { body, headers } = await get('')
    t.match(body, `<html lang="${locale}" dir="${locale === 'ar' ? 'rtl' : 'ltr'}"`)
    t.equal(headers['content-language'], locale)
    if (locale !== 'en') t.notMatch(body, 'All systems operational', locale)
    const said = body.replaceAll(/<(style|script)[^>]*>[\s\S]*?<\/\1>/g, '')
    t.notMatch(said, /\{\}|undefined|\[object/, locale)
  }
})

t.test('the uptime of a new component states its start, in every language', async (t) => {
  for (const locale of locales) {
    const { component, get, data } = await publishedOn(kit, { locale })
    await component('API')
    const { uptimeSince } = (await data('')).json().components[0]
    const language = pageLanguage(locale, 'UTC')
    const since = language.since(uptimeSince)
    t.match((await get('')).body, `<br>${since}</p>`, locale)
    const { body } = await get('', { accept: 'text/markdown' })
    t.match(body, `(${language.labelled(since, '')}`, locale)
  }
})

t.test('texts of a tenant have their own direction on every page', async (t) => {
  const settings = { locale: 'ar', name: 'Acme Inc.' }
  const { component, open, postUpdate, plan, get, request } = await publishedOn(kit, settings)
  const api = await component('API!', { description: 'The API.' })
  await component('Web!')
  const { id } = await open({ title: 'Slow', message: 'We look.', componentIds: [api] })
  const planned = await plan({ componentIds: [api] })
  t.match((await get('')).body, '<p class="sm q"><bdi>The API.</bdi></p>')
  for (const path of ['', `/incidents/${id}`, `/maintenances/${planned.id}`])
    t.match((await get(path)).body, '<bdi>API!</bdi></span>', `${path}: affected`)
  await postUpdate(id, { status: 'resolved', message: 'It is fast.' })
  const timeline = [{ at: '2026-08-01T09:30:00.000Z', text: 'First alert.' }]
  const postmortem = { summary: 'S', timeline, isPublished: true }
  await request(postmortemOperations.replace, { params: { id }, body: postmortem })
  t.match((await get(`/incidents/${id}`)).body, '<bdi>First alert.</bdi></li>')
  for (const path of ['', '/history']) t.match((await get(path)).body, '<bdi>It is fast.</bdi></p>')
  for (const path of ['', '/history', '/subscribe'])
    t.match((await get(path)).body, '<bdi>Acme Inc.</bdi></a></h1>', path)
  t.match((await get('/subscribe')).body, '<bdi>API!</bdi></label>')
})

t.test('history is paginated by month, from the present to the first', async (t) => {
  const { open, component, get } = await publishedOn(kit)
  await component('API')
  const { title } = await open({ title: 'This month' })
  t.match((await get('/history')).body, title)
  t.equal((await get('/history?month=2999-01')).statusCode, 404)
  const old = await get('/history?month=2020-01')
  t.match(old.body, 'No incidents reported this month.')
  t.notMatch(old.body, 'rel="prev"')
  t.match(old.body, 'rel="next"')
})

t.test('a permalink shows all updates and, once it is published, the postmortem', async (t) => {
  const { open, postUpdate, get } = await publishedOn(kit)
  const incident = await open({ message: 'First' })
  await postUpdate(incident.id, { status: 'identified', message: 'Second' })
  const { body } = await get(`/incidents/${incident.id}`)
  t.ok(body.indexOf('Second') < body.indexOf('First'), 'newest first')
  t.notMatch(body, 'Postmortem')
  t.equal((await get('/incidents/019f0000-0000-7000-8000-000000000001')).statusCode, 404)
})

t.test('a page on its own domain uses relative paths and its own canonical URL', async (t) => {
  const { page, get, component, change } = await publishedOn(kit)
  await component('API')
  const domain = `s-${page.id.slice(-8)}.acme.test`
  const { customDomainToken } = (await change({ customDomain: domain })).body
  kit.aliases[domain] = { isAnswered: true, target: 'status.test' }
  kit.texts[`_status-page.${domain}`] = { isAnswered: true, texts: [customDomainToken] }
  await kit.jobs.find(({ name }) => name === 'custom-domains')?.run(new AbortController().signal)
  const there = (await get('', { 'x-internal-page-domain': domain })).body
  t.match(there, 'href="/history"')
  t.notMatch(there, `href="/status/`)
  const here = (await get('')).body
  t.match(here, `href="/status/${page.slug}/history"`)
  for (const body of [there, here]) t.match(body, `rel="canonical" href="https://${domain}/"`)
  const listed = await kit.http.inject({
    url: '/api/v1/internal/page-domains',
    headers: kit.anonymous,
  })
  t.match(listed.json().domains, [{ domain, slug: page.slug }])
})

t.test('crawlers get Markdown, a sitemap and robots rules', async (t) => {
  const { component, open, get, change, slug } = await publishedOn(kit)
  await component('API')
  await open({ title: 'API errors', message: 'We look into it.' })
  const markdown = await get('', { accept: 'text/markdown, text/html;q=0.8' })
  t.match(markdown.headers['content-type'], 'text/markdown')
  t.match(markdown.body, /^# Acme\n[\s\S]*### API errors[\s\S]*> We look into it\./)
  t.match((await get('', { accept: 'text/html, text/markdown;q=0.5' })).body, '<!doctype html>')
  t.match((await get('/llms.txt')).body, `${BASE_URL}/status/${slug}`)
  t.match((await get('/sitemap.xml')).body, `<loc>${BASE_URL}/status/${slug}</loc>`)
  await change({ allowIndexing: false })
  t.equal((await get('/sitemap.xml')).statusCode, 404)
  t.match((await get('/robots.txt')).body, 'Disallow: /\n')
  const hidden = await get('')
  t.equal(hidden.headers['x-robots-tag'], 'noindex')
  t.match(hidden.body, '<meta name="robots" content="noindex">')
})

t.test('other sites may embed the widget and nothing else', async (t) => {
  const { get } = await publishedOn(kit)
  const policyOf = async (path: string) =>
    String((await get(path)).headers['content-security-policy'])
  t.match(await policyOf('/embed'), 'frame-ancestors *')
  for (const path of ['', '/history', '/subscribe']) {
    t.match(await policyOf(path), "frame-ancestors 'none'", path)
  }
})

t.test('the embed fits the frame of the README: its sprite takes no space', async (t) => {
  const { get } = await publishedOn(kit)
  const { body } = await get('/embed')
  t.match(body, /<svg width="0" height="0" hidden>/)
  t.match(body, /<style>[^<]*\[hidden\]\{display:none\}/)
})

t.test('a status of two lines fits the frame of the README', async (t) => {
  const { get } = await publishedOn(kit)
  const { body } = await get('/embed')
  const [, font, lineHeight] = /font:500 ([.\d]+)rem\/([.\d]+) /.exec(body) ?? []
  const [, padding] = /a\{[^}]*padding:([.\d]+)rem /.exec(body) ?? []
  const textPx = 2 * REM_PX * Number(font) * Number(lineHeight)
  const heightPx = textPx + 2 * REM_PX * Number(padding) + 2 * BORDER_PX
  t.ok(heightPx <= EMBED_HEIGHT_PX, `${heightPx} px`)
})

/** Link preview image: states the status in every language, and requires access to the page. */
import { type Indicator, indicators, locales } from '@status-page/contracts'
import { noTheme } from '@status-page/html'
import { textsByLocale } from '@status-page/html/texts'
import t from 'tap'
import { coreKit } from '../../../core.fixture.ts'
import type { StatusPageRow } from '../../../tables.ts'
import { createPageFrame } from '../layout/frame.ts'
import { pageUrls } from '../layout/urls.ts'
import { publishedOn } from '../pages.fixture.ts'
import { previewImageInput, previewImageSvg } from './preview-image-svg.ts'
import { fitText } from './preview-image-text.ts'
import { createPreviewImages } from './preview-images.ts'

const kit = await coreKit(t)
const previewImages = createPreviewImages()

const SIGNATURE = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')

/** Size from the PNG header. */
const sizeOf = (png: Buffer) => {
  t.ok(png.subarray(0, SIGNATURE.length).equals(SIGNATURE), 'a PNG')
  t.equal(png.toString('latin1', 12, 16), 'IHDR')
  return [png.readUInt32BE(16), png.readUInt32BE(20)]
}

const pictured = (indicator: Indicator, more: Partial<StatusPageRow> = {}) => {
  const page = {
    name: 'Acme',
    slug: 'acme',
    locale: 'en',
    timezone: 'UTC',
    theme: noTheme,
    customDomain: null,
    customDomainStatus: 'none',
    ...more,
  } as StatusPageRow
  return previewImageInput(
    createPageFrame(page, pageUrls(page, {}, 'https://status.test')),
    indicator,
  )
}

/** Removes spaces and direction marks, which line breaking and right-to-left rendering add. */
const lettersOf = (text: string) => text.replaceAll(/[ \u202b\u202c]/g, '')

t.test('every status in every language has a preview image of its own', async (t) => {
  const seen = new Set<string>()
  for (const [at, locale] of locales.entries()) {
    for (const indicator of indicators) {
      const facts = pictured(indicator, { locale })
      const said = [...previewImageSvg(facts).matchAll(/<text[^>]*>([^<]*)</g)]
        .map(([, line]) => line)
        .join(' ')
      t.ok(
        lettersOf(said).includes(lettersOf(textsByLocale[locale].statusPage.overall[indicator])),
        said,
      )
    }
    const drawn = await previewImages.png(
      pictured(indicators[at % indicators.length] ?? 'none', { locale }),
    )
    t.same(sizeOf(drawn), [1200, 630], locale)
    seen.add(drawn.toString('base64'))
  }
  t.equal(seen.size, locales.length)
})

t.test('every name renders, whatever its characters', async (t) => {
  const theme = { ...noTheme, mode: 'dark', primaryColor: '#ffee00' } as const
  for (const name of [
    'សួស្តី 𒀀 🙂',
    '</text><image href="file:///etc/passwd"/>',
    '\u202eevil',
    'W'.repeat(100),
    '状況'.repeat(50),
    'شركة Acme للخدمات',
  ]) {
    const facts = pictured('major', { name, theme })
    t.notMatch(previewImageSvg(facts), '<image')
    t.same(sizeOf(await previewImages.png(facts)), [1200, 630], name)
  }
  t.match(previewImageSvg(pictured('none', { name: '🚀 Acme™ 株式会社' })), '>Acme™ 株式会社<')
  t.match(previewImageSvg(pictured('none', { name: '“a” & <b>' })), '>“a” &amp; &lt;b&gt;<')
})

t.test('a text is as large as its box allows, and truncated if it is too long', async (t) => {
  const box = { width: 300, maxLines: 2, sizes: [60, 30] } as const
  t.same(fitText('Acme', 'en', box), { size: 60, lines: ['Acme'] })
  t.same(fitText('Partial system outage', 'en', box), {
    size: 30,
    lines: ['Partial system', 'outage'],
  })
  const cut = fitText('so many words that nothing has room for them all', 'en', box)
  t.equal(cut.lines.length, 2)
  t.match(cut.lines[1], /…$/)
  t.match(fitText('W'.repeat(40), 'en', box).lines, [/^W+$/, /^W+…$/])
  t.equal(fitText('重大な障害が発生しています', 'ja', box).lines.length, 2)
})

t.test('the page links the preview image by a URL that changes with the status', async (t) => {
  const { component, open, change, get } = await publishedOn(kit, { locale: 'de' })
  const api = await component('API')
  const look = async () => {
    const { body } = await get('')
    const [, url = ''] = /<meta property="og:image" content="([^"]+)">/.exec(body) ?? []
    const { pathname, search } = new URL(url)
    const image = await get(`${pathname.slice(pathname.lastIndexOf('/'))}${search}`)
    return { body, url, image, etag: image.headers.etag }
  }
  const operational = await look()
  t.match(
    operational.body,
    '<meta property="og:image:alt" content="Acme: Alle Systeme betriebsbereit">',
  )
  t.match(operational.body, '<meta name="twitter:card" content="summary_large_image">')
  t.match(operational.url, /^https:\/\/status\.test\/status\/[^/]+\/og\.png\?v=[\w-]{12}$/)
  t.equal(operational.image.statusCode, 200)
  t.match(operational.image.headers, {
    'content-type': 'image/png',
    'cache-control': 'public, max-age=30, stale-while-revalidate=60, stale-if-error=86400',
  })
  t.same(sizeOf(operational.image.rawPayload), [1200, 630])
  t.match(
    await look(),
    { url: operational.url, etag: operational.etag },
    'as long as nothing changes',
  )
  const known = await get('/og.png', { 'if-none-match': String(operational.etag) })
  t.equal(known.statusCode, 304)
  await open({ componentStatuses: { [api]: 'major_outage' } })
  const down = await look()
  t.match(down.body, 'content="Acme: Schwerwiegender Systemausfall"')
  t.not(down.url, operational.url)
  t.not(down.etag, operational.etag)
  await change({ name: 'Acme AG' })
  const renamed = await look()
  t.not(renamed.url, down.url)
  t.not(renamed.etag, down.etag)
})

t.test('a client without access gets neither the preview image nor its URL', async (t) => {
  const members = await publishedOn(kit, { visibility: 'members' })
  t.equal((await members.get('/og.png')).statusCode, 404)
  const password = 'a-long-enough-password'
  const closed = await publishedOn(kit, { visibility: 'password', password })
  t.equal((await closed.get('/og.png')).statusCode, 401)
  const { headers } = await closed.post('/access', { password })
  const [cookie = ''] = [headers['set-cookie'] ?? []].flat().map((one) => one.split(';', 1)[0])
  const shown = await closed.get('/og.png', { cookie })
  t.match(shown, { statusCode: 200, headers: { 'cache-control': 'no-store' } })
  t.notMatch((await closed.get('', { cookie })).body, 'og:image')
  const hidden = await publishedOn(kit, { isPublished: false })
  t.equal((await hidden.get('/og.png')).statusCode, 404)
})

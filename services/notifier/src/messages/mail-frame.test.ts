/** The frame of mails has the logo and the colours of the page, in light and in dark mode. */
import { noTheme } from '@status-page/html'
import t from 'tap'
import type { PageAppearance } from '../audiences/pages.ts'
import { mailFrameHtml } from './mail-frame.ts'

const LOGO = 'https://cdn.example/logo.png?a=1&b="2"'
const DARK_LOGO = 'https://cdn.example/dark.png'
const page: PageAppearance = {
  name: 'Acme "Status"',
  theme: null,
  logoUrl: LOGO,
  logoDarkUrl: null,
}

const frame = (appearance: PageAppearance | null, direction: 'ltr' | 'rtl' = 'ltr') =>
  mailFrameHtml({
    senderName: 'Acme',
    appearance,
    state: { label: 'Resolved', status: 'operational' },
    headline: 'API errors',
    content: '<p>Fixed.</p>',
    footer: 'Footer',
    language: { tag: 'en', direction },
    action: { url: 'https://status.example.com', label: 'View' },
  })
const imagesIn = (html: string): string[] => html.match(/<img [^>]*>/g) ?? []
const withTheme = (theme: Partial<typeof noTheme>, change: Partial<PageAppearance> = {}) =>
  frame({ ...page, ...change, theme: { ...noTheme, ...theme } })

t.test('the logo replaces the name, which is its alternative text', async (t) => {
  const [logo, ...others] = imagesIn(frame(page))
  t.match(logo, 'src="https://cdn.example/logo.png?a=1&amp;b=&quot;2&quot;"')
  t.match(logo, 'alt="Acme &quot;Status&quot;"')
  t.same(others, [])
  t.notMatch(frame(page), '>Acme<')
  t.match(frame(null), '>Acme<')
  t.same(imagesIn(frame(null)), [])
})

t.test('dark mode shows the dark logo', async (t) => {
  const both = { ...page, logoDarkUrl: DARK_LOGO }
  const html = frame(both)
  t.same(
    imagesIn(html).map((image) => [
      /src="([^"?]*)/.exec(image)?.[1],
      /display:\w+/.exec(image)?.[0],
    ]),
    [
      ['https://cdn.example/logo.png', 'display:block'],
      [DARK_LOGO, 'display:none'],
    ],
  )
  t.match(html, /prefers-color-scheme:dark\)\{[^@]*\.on-light\{display:none!important\}/)
  t.same(imagesIn(withTheme({ mode: 'dark' }, both)).length, 1)
  t.match(imagesIn(withTheme({ mode: 'dark' }, both))[0], DARK_LOGO)
})

t.test('an SVG logo is omitted, and the name of the sender is shown', async (t) => {
  const svg = frame({
    ...page,
    logoUrl: 'https://cdn.example/Logo.SVG?v=1',
    logoDarkUrl: DARK_LOGO,
  })
  t.same(imagesIn(svg), [])
  t.match(svg, '>Acme<')
  const mixed = imagesIn(frame({ ...page, logoDarkUrl: 'https://cdn.example/dark.svg' }))
  t.equal(mixed.length, 1)
  t.match(mixed[0], 'logo.png')
})

t.test('a page in one mode has mails in that mode', async (t) => {
  t.match(withTheme({ mode: 'system' }), 'name="color-scheme" content="light dark"')
  for (const [mode, ground] of [
    ['light', '#f3f5f8'],
    ['dark', '#0b1016'],
  ] as const) {
    const html = withTheme({ mode })
    t.match(html, `name="color-scheme" content="${mode}"`)
    t.match(html, `<body class="ground" dir="ltr" style="margin:0;padding:0;background:${ground}"`)
    t.notMatch(html, 'prefers-color-scheme')
  }
})

t.test('colours of the page are mixed until text is readable', async (t) => {
  const html = withTheme({ primaryColor: '#ffdd00', operationalColor: '#aaffaa' })
  const [action] = html.match(/<a class="action" [^>]*>/) ?? []
  t.match(action, /background:#806f00;color:#fff/)
  t.notMatch(html.replace(/<style>[^<]*<\/style>/, ''), /#ffdd00|#aaffaa/)
  t.match(html, /\.action\{background:#ffdd00!important;color:#0b1016!important\}/)
})

t.test('a mail loads nothing but its logos and has no script', async (t) => {
  const html = withTheme({}, { logoDarkUrl: DARK_LOGO })
  t.notMatch(html, /<script|<link|@import|url\(|<iframe/i)
  t.same(imagesIn(html).length, html.match(/ src=/g)?.length)
  t.ok(Buffer.byteLength(html) < 6_000, `${Buffer.byteLength(html)} bytes`)
})

t.test('a text from right to left is aligned to the right', async (t) => {
  const html = frame(page, 'rtl')
  t.match(html, '<html lang="en" dir="rtl">')
  t.match(html, /<h1 [^>]*text-align:right/)
  t.notMatch(html, /align="left"|text-align:left/)
})

/** Codes of a status page for other websites. */
import t from 'tap'
import { badgeHtml, badgeMarkdown, bannerCode, dataUrlOf, frameCode } from './embed-codes.ts'

const page = { name: 'Acme', slug: 'acme', url: 'https://example.com/base/status/acme' }
const hostile = { ...page, name: '"><script>alert(1)</script> [x](y)' }

t.test('addresses are below the base URL of the installation', async (t) => {
  t.equal(dataUrlOf(page), 'https://example.com/base/api/v1/public/status/acme')
  t.equal(
    bannerCode(page),
    '<script src="https://example.com/base/status/acme/embed.js" async></script>',
  )
  t.equal(
    badgeMarkdown(page, 'uptime'),
    '[![Acme](https://example.com/base/api/v1/public/status/acme/badge.svg?metric=uptime)](https://example.com/base/status/acme)',
  )
})

t.test('the name of a page is text in each code', async (t) => {
  for (const code of [frameCode(hostile), badgeHtml(hostile, 'status')]) {
    t.notMatch(code, '<script')
    t.match(code, '&quot;&gt;&lt;script&gt;')
  }
  t.match(badgeMarkdown(hostile, 'status'), '\\[x\\](y)](https://')
})

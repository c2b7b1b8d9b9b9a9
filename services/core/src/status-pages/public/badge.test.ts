/** Badges: text, colour, and escaping of tenants' texts. */
import {
  componentOperations,
  componentStatuses,
  publicOperations as on,
  statusPageOperations,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import t from 'tap'
import { coreKit } from '../../core.fixture.ts'
import { pageLanguage } from '../page-language.ts'
import { meanUptime, renderBadge, statusBadge, uptimeBadge } from './badge.ts'

const kit = await coreKit(t)
const english = pageLanguage('en', 'UTC')

t.test('text is escaped, in the image and in its title', async (t) => {
  const label = `"><script>alert(1)</script>&'`
  const svg = renderBadge({ label, title: label, message: '\u0000]]>\ud800', colour: '#000000' })
  t.notMatch(svg, '<script')
  t.notMatch(svg, '\u0000')
  t.match(svg, '&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&#39;')
})

t.test('a badge is as wide as its texts', async (t) => {
  const widthOf = (label: string) =>
    Number(/ width="(\d+)"/.exec(renderBadge({ ...badge, label }))?.[1])
  const badge = { title: 't', message: 'm', colour: '#000000' }
  t.ok(widthOf('wide label') > widthOf('label'))
  t.ok(widthOf('状态') > widthOf('ab'))
  t.ok(widthOf('W'.repeat(40)) < 500)
})

t.test('every status has a text and a colour of its own', async (t) => {
  const badges = componentStatuses.map((status) => statusBadge(status, 'x', english))
  t.equal(new Set(badges.map(({ message }) => message)).size, componentStatuses.length)
  t.equal(new Set(badges.map(({ colour }) => colour)).size, componentStatuses.length)
})

t.test('uptime is a percentage or no data, in the language of the page', async (t) => {
  const french = pageLanguage('fr', 'UTC')
  t.equal(uptimeBadge(99.95, 'x', english).message, '99.95%')
  t.equal(uptimeBadge(null, 'x', english).message, 'No data')
  t.match(uptimeBadge(99.95, 'x', french).title, /^x\u00a0: 99,95\s%$/)
  t.equal(statusBadge('operational', 'x', french).message, 'Opérationnel')
  const colours = [100, 99.5, 97, 50].map(
    (percentage) => uptimeBadge(percentage, 'x', english).colour,
  )
  t.equal(new Set(colours).size, 4)
  t.equal(meanUptime([100, null, 99.99]), 100)
  t.equal(meanUptime([100, 99]), 99.5)
  t.equal(meanUptime([null]), null)
})

t.test('a badge shows the page or one of its components, and nothing else', async (t) => {
  const organization = kit.as()
  const component = async (body: object) =>
    (await organization.request(componentOperations.create, { body: { type: 'SERVICE', ...body } }))
      .body.id
  const api = await component({ name: 'API & more' })
  const down = await component({ name: 'Mail', status: 'major_outage' })
  const hidden = await component({ name: 'Hidden', isEnabled: false })
  const slug = `s-${newId().slice(-12)}`
  const created = await organization.request(statusPageOperations.create, {
    body: { name: 'A name that is longer than what a badge has room for', slug, isPublished: true },
  })
  kit.clock.advance(10_000)
  const badge = async (query: object) => {
    const { status, body, headers } = await kit.request(on.badge, {
      params: { slug },
      query: { ...query },
    })
    return { status, text: String(body), headers }
  }
  const whole = await badge({})
  t.equal(whole.status, 200)
  t.match(whole.headers, {
    'content-type': 'image/svg+xml; charset=utf-8',
    'cache-control': 'public, max-age=60, stale-while-revalidate=60, stale-if-error=86400',
    'x-content-type-options': 'nosniff',
  })
  t.match(whole.text, '<title>A name that is longer than what a badge…: Major outage</title>')
  t.match((await badge({ componentId: api })).text, '<title>API &amp; more: Operational</title>')
  t.match((await badge({ componentId: down, label: 'mail' })).text, 'mail: Major outage')
  t.match((await badge({ componentId: api, metric: 'uptime' })).text, ': 100%')
  t.match((await badge({ metric: 'uptime', label: 'up' })).text, '<title>up: 50%</title>')
  for (const query of [{ componentId: hidden }, { componentId: newId() }]) {
    t.equal((await badge(query)).status, 404)
  }
  for (const query of [
    { componentId: 'nonsense' },
    { metric: 'speed' },
    { label: 'x'.repeat(41) },
    { label: 'two\nlines' },
  ]) {
    t.equal((await badge(query)).status, 400, JSON.stringify(query))
  }
  const body = { showUptimePercentage: false }
  await organization.request(statusPageOperations.update, { params: { id: created.body.id }, body })
  t.match((await badge({ metric: 'uptime', label: 'up' })).text, 'up: No data')
})

/**
 * Public page during an outage: browsers, feed readers and third-party clients can read it, and it
 * is always available.
 */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  componentOperations,
  incidentOperations,
  maintenanceOperations,
  pageOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually, httpTarget } from '@status-page/testing'
import { parseAtomFeed, parseJsonFeed, parseRssFeed } from 'feedsmith'
import type { Browser, Page } from 'playwright-core'
import RssParser from 'rss-parser'
import { Statuspage } from 'statuspage.js'
import t from 'tap'
import { pathOf } from './kit/api.ts'
import { browserSkipReason, openBrowser } from './kit/browser.ts'
import { violationsOn } from './kit/page-assertions.ts'
import { register } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

const world = await startWorld(t)
const { baseUrl } = world.stack
const { port } = new URL(baseUrl)
const { api } = await register(world.api, 'acme')
const DOMAIN = 'status.acme.test'
const HOUR_MS = 3_600_000
const textAt = (url: string) => readFileSync(fileURLToPath(url), 'utf8')

const component = async (name: string, more: object = {}) =>
  (await api.call(componentOperations.create, { body: { type: 'SERVICE', name, ...more } })).id

const web = await component('Website')
const shop = await component('Shop')
const search = await component('Search', { parentComponentId: shop })

const publish = (slug: string, more: object = {}) =>
  api.call(statusPageOperations.create, {
    body: { name: 'Acme', slug, isPublished: true, customDomain: null, ...more },
  })
await publish('acme', { allowSmsSubscribers: true, description: 'Everything that Acme runs.' })
await publish('acme-ar', { locale: 'ar', timezone: 'Asia/Riyadh' })

const incident = await api.call(incidentOperations.create, {
  body: {
    title: 'Searches <fail> & more',
    impact: 'major',
    message: 'We look into it.',
    componentStatuses: { [search]: 'partial_outage' },
  },
})
const [from, until] = [1, 2].map((hours) => new Date(Date.now() + hours * HOUR_MS).toISOString())
await api.call(maintenanceOperations.create, {
  body: {
    title: 'New shelves',
    scheduledFor: from ?? '',
    scheduledUntil: until ?? '',
    componentIds: [web],
  },
})

const show = (slug = 'acme') => pathOf(pageOperations.show, { params: { slug } })
const data = '/api/v1/public/status/acme'
const textOf = async (path: string) => (await world.api.send('GET', path)).text

t.test('third-party parsers read the feeds, whose ids are stable', async (t) => {
  const [rss, atom, json] = await Promise.all(
    ['rss', 'atom', 'json'].map((format) => textOf(`${data}/feed?format=${format}`)),
  )
  const id = `urn:uuid:${incident.id}`
  const fromRss = parseRssFeed(rss ?? '').items ?? []
  t.match(fromRss, [{ title: 'New shelves' }, { guid: { value: id, isPermaLink: false } }])
  t.match(parseAtomFeed(atom ?? '').entries, [{}, { id }])
  t.match(parseJsonFeed(json ?? '').items, [{}, { id, title: incident.title }])
  const other = new RssParser()
  for (const text of [rss, atom]) {
    const { items } = await other.parseString(text ?? '')
    t.match(items, [{}, { link: `${baseUrl}${show()}/incidents/${incident.id}` }])
  }
  const ofWebsite = parseJsonFeed(await textOf(`${data}/feed?format=json&componentId=${web}`))
  t.match(ofWebsite.items, [{ title: 'New shelves' }])
  t.equal(ofWebsite.items?.length, 1)
})

/** Unmodified third-party client; only the address of the page is configured. */
const clientAt = (url: string, headers: Record<string, string> = {}) => {
  const client = new Statuspage('acme')
  const { axios } = client as unknown as { axios: { defaults: Record<string, unknown> } }
  Object.assign(axios.defaults, { baseURL: `${url}/api/v2`, headers })
  return client
}

/**
 * Writes the result of a successful DNS lookup, because no DNS resolves the domain to this machine.
 */
const activateDomain = async () => {
  await world.admin`UPDATE core.status_pages SET custom_domain = ${DOMAIN},
    custom_domain_status = 'active' WHERE slug = 'acme'`
  const isRouted = async () => {
    const { status } = await clientAt(baseUrl, { host: DOMAIN }).status()
    return status.indicator === 'major'
  }
  await eventually(() => isRouted().catch(() => false), { timeoutMs: 40_000 })
}

t.test(
  'a client of Statuspage reads all documents, below the slug and on the custom domain',
  async (t) => {
    await activateDomain()
    for (const client of [clientAt(`${baseUrl}${data}`), clientAt(baseUrl, { host: DOMAIN })]) {
      const summary = await client.summary()
      t.match(summary.page, { name: 'Acme', time_zone: 'UTC', updated_at: Date })
      t.match(summary.status, { indicator: 'major', description: 'Partial System Outage' })
      const found = summary.components?.find(({ id }) => id === search)
      t.match(found, { name: 'Search', status: 'partial_outage', group_id: shop, group: false })
      t.match(summary.incidents, [{ id: incident.id, impact: 'major', incident_updates: [{}] }])
      t.match(summary.scheduled_maintenances, [{ name: 'New shelves', status: 'scheduled' }])
      t.equal((await client.components()).components.length, 3)
      t.match((await client.status()).status, summary.status)
    }
  },
)

t.test('a custom domain serves nothing but its page', async (t) => {
  const { axios } = clientAt(baseUrl, { host: DOMAIN }) as unknown as {
    axios: { get(url: string, options: object): Promise<{ status: number }> }
  }
  const options = { baseURL: baseUrl, validateStatus: () => true, transformResponse: [] }
  for (const path of ['/health', '/metrics', '/api/docs', '/api/v1/components', show('acme-ar')]) {
    t.equal((await axios.get(path, options)).status, 404, path)
  }
})

t.test('a browser', { skip: browserSkipReason }, async (t) => {
  const browser = await openBrowser(t, [DOMAIN])

  t.test('shows the page without axe violations', async (t) => {
    const parts = ['', '/history', '/subscribe', `/incidents/${incident.id}`, '/embed']
    const light = [...parts.map((part) => show() + part), show('acme-ar'), show('unknown')]
    const seen = [
      ...light.map((path) => [path, 'light'] as const),
      ...[show(), show('unknown')].map((path) => [path, 'dark'] as const),
    ]
    for (const [path, colorScheme] of seen) {
      const { page, complaints, origins } = await visit(browser, `${baseUrl}${path}`, colorScheme)
      t.same(await violationsOn(page), [], `${path} ${colorScheme}`)
      t.same(complaints, [], path)
      t.same([...origins], [baseUrl], `${path} sends no request to other hosts`)
      await page.context().close()
    }
  })

  t.test('never shifts visible content, at any width', async (t) => {
    for (const width of [360, 768, 1440]) {
      const { page } = await visit(browser, `${baseUrl}${show()}`, 'light', width)
      const { shift, overflow } = await page.evaluate<{ shift: number; overflow: number }>(MEASURE)
      t.equal(shift, 0, `${width}`)
      t.ok(overflow <= 0, `${width}`)
      await page.context().close()
    }
  })

  t.test('subscribes without scripts, on the custom domain', async (t) => {
    const context = await browser.newContext({ javaScriptEnabled: false })
    const page = await context.newPage()
    await page.goto(`http://${DOMAIN}:${port}/`)
    await page.keyboard.press('Tab')
    t.equal(
      await page.locator(':focus').getAttribute('href'),
      '#main',
      'the first focus stop is the skip link',
    )
    await page.locator('header .b').click()
    t.equal(new URL(page.url()).pathname, '/subscribe')
    await page.locator('#email').fill('reader@example.com')
    await page.locator('form:has(#email) button').click()
    t.equal(page.url(), `http://${DOMAIN}:${port}/subscribe?asked=email`)
    t.match(
      await page.locator('[role=status]').first().textContent(),
      'We sent you a confirmation email.',
    )
    await context.close()
  })

  t.test("shows changes without moving the visitor's position", async (t) => {
    const { page } = await visit(browser, `${baseUrl}${show()}`, 'light')
    await page.locator('summary').first().click()
    const title = 'Another one'
    await api.call(incidentOperations.create, { body: { title, impact: 'critical' } })
    await page.evaluate(`document.dispatchEvent(new Event('visibilitychange'))`)
    await page.locator('h3', { hasText: title }).waitFor()
    t.match(await page.title(), 'Major system outage')
    t.match(await page.locator('#news').textContent(), 'This page has been updated.')
  })

  t.test('runs the widget of Statuspage and the own banner on another site', async (t) => {
    const widget = textAt(import.meta.resolve('@statuspage/status-widget/dist/index.js'))
    const site = await httpTarget(t, ({ url }) =>
      url === '/widget.js'
        ? { headers: { 'content-type': 'text/javascript' }, body: widget }
        : {
            headers: { 'content-type': 'text/html' },
            body: `<!doctype html><title>Shop</title><body><script src="/widget.js"></script>
<statuspage-widget src="http://${DOMAIN}:${port}"></statuspage-widget>
<script src="${baseUrl}${show()}/embed.js" async></script>
<iframe src="${baseUrl}${show()}/embed" title="Status"></iframe>`,
          },
    )
    const { page } = await visit(browser, site.url, 'light')
    await page.locator('statuspage-widget .status-text', { hasText: 'Major' }).waitFor()
    await page.locator('body > [role=status]', { hasText: 'Another one' }).waitFor()
    await page.frameLocator('iframe').locator('text=Major system outage').waitFor()
    t.pass('all three show the status')
  })

  t.test('receives changes by event stream, without polling', async (t) => {
    const page = await browser.newPage()
    await page.addInitScript(DISABLE_POLLING)
    const requestedPaths: string[] = []
    page.on('request', (request) => requestedPaths.push(new URL(request.url()).pathname))
    await page.goto(`http://${DOMAIN}:${port}/`)
    await eventually(() => requestedPaths.includes('/live'))
    const title = 'Received by event stream'
    await api.call(incidentOperations.create, { body: { title, impact: 'minor' } })
    await page.locator('h3', { hasText: title }).waitFor()
    const pageRequests = requestedPaths.filter((path) => path !== '/favicon.svg')
    t.same(pageRequests, ['/', '/live', '/'], 'one request after the event')
    await page.close()
  })

  t.test('a day of the bars opens with the incidents of its component', async (t) => {
    const [slow, closed] = ['Pictures load slowly', 'Support is closed']
    const componentStatuses = { [web]: 'degraded_performance' as const }
    await api.call(incidentOperations.create, { body: { title: slow, componentStatuses } })
    await api.call(incidentOperations.create, { body: { title: closed } })
    await eventually(async () => (await textOf(show())).includes(closed), { timeoutMs: 30_000 })
    const { page } = await visit(browser, `${baseUrl}${show()}`, 'light')
    const cases = [
      { id: web, name: 'Website', own: slow, other: incident.title },
      { id: search, name: 'Search', own: incident.title, other: slow },
    ]
    for (const { id, name, own, other } of cases) {
      const bars = page.locator(`.bars[data-component="${id}"]`)
      const { width, height } = (await bars.boundingBox()) ?? { width: 0, height: 0 }
      await bars.hover({ position: { x: width - HALF_BAR_PX, y: height / 2 } })
      const day = page.locator('.pop')
      await day.locator('h4', { hasText: own }).waitFor()
      const titles = await day.locator('h4').allInnerTexts()
      t.ok(
        titles.some((title) => title.includes(closed)),
        'an incident of the whole page',
      )
      t.notOk(
        titles.some((title) => title.includes(other)),
        other,
      )
      t.match(await day.locator('li').textContent(), `${name}: `)
      const link = await bars.locator('a').last().getAttribute('href')
      t.equal(await day.locator('h3 a').getAttribute('href'), link)
      // The element could cover other bars.
      await page.mouse.move(0, 0)
    }
    await page.context().close()
  })
})

t.test(
  'the page is served while core, Postgres and NATS are down, with the time of its data',
  async (t) => {
    await textOf(show())
    await textOf(`${data}/api/v2/summary.json`)
    const { core, gateway } = world.stack.processes
    await core.kill('SIGKILL')
    await gateway.restart()
    await gateway.waitReady()
    await Promise.all([world.stack.postgres?.kill('SIGKILL'), world.stack.nats?.kill('SIGKILL')])
    const page = await world.api.send('GET', show())
    t.equal(page.status, 200)
    t.match(page.text, /<p id="outdated" class="note" role="status">[^<]+<time datetime="20/)
    t.match(page.text, incident.id)
    const summary = await world.api.send('GET', `${data}/api/v2/summary.json`)
    t.equal(summary.status, 200)
    t.ok(Date.parse(summary.headers.get('x-outdated-since') ?? '') <= Date.now())
    t.equal((await world.api.send('GET', show('never-asked-for'))).status, 503)
  },
)

const visit = async (
  browser: Browser,
  url: string,
  colorScheme: 'light' | 'dark',
  width = 1280,
): Promise<{ page: Page; complaints: string[]; origins: Set<string> }> => {
  const context = await browser.newContext({ colorScheme, viewport: { width, height: 900 } })
  const page = await context.newPage()
  const complaints: string[] = []
  const origins = new Set<string>()
  page.on('console', (message) => {
    const isOfStatus = message.text().includes('404 (Not Found)')
    if (message.type() === 'error' && !isOfStatus) complaints.push(message.text())
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith('data:')) origins.add(new URL(request.url()).origin)
  })
  await page.goto(url, { waitUntil: 'load' })
  return { page, complaints, origins }
}

/** Disables polling for changes in the page. */
const DISABLE_POLLING = 'window.setInterval = () => 0'

/** Distance of the bar of today from the end of the bars; the script accepts a few pixels more. */
const HALF_BAR_PX = 3

/** Script as text, because it runs in the browser and not in this process. */
const MEASURE = `new Promise((resolve) => {
  let shift = 0
  new PerformanceObserver((list) => {
    for (const { value } of list.getEntries()) shift += value
  }).observe({ type: 'layout-shift', buffered: true })
  const overflow = document.documentElement.scrollWidth - innerWidth
  requestAnimationFrame(() => setTimeout(() => resolve({ shift, overflow }), 100))
})`

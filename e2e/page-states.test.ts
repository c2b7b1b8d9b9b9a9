/**
 * The status page in each of its states is usable at every width, in light and dark mode, and
 * without scripts.
 */
import {
  componentOperations,
  incidentOperations,
  maintenanceOperations,
  pageOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Page, Route } from 'playwright-core'
import t from 'tap'
import { pathOf } from './kit/api.ts'
import { browserSkipReason, openBrowser } from './kit/browser.ts'
import {
  colourViolationsOn,
  focusStopsOn,
  openDetails,
  overflowOf,
  violationsOn,
  walkFocusStops,
} from './kit/page-assertions.ts'
import { register } from './kit/tenant.ts'
import { startWorld } from './kit/world.ts'

const world = await startWorld(t)
const { api } = await register(world.api, 'states')
const HOUR_MS = 3_600_000
const MINUTE_MS = 60_000
const after = (ms: number) => new Date(Date.now() + ms).toISOString()

const component = async (name: string, more: object = {}) =>
  (await api.call(componentOperations.create, { body: { type: 'SERVICE', name, ...more } })).id

const web = await component('Website with a name that is as long as names of websites ever are')
const shop = await component('Shop', { description: 'All that is sold.' })
const search = await component('Search', { parentComponentId: shop })

await api.call(statusPageOperations.create, {
  body: {
    name: 'Acme',
    slug: 'states',
    isPublished: true,
    customDomain: null,
    alternateLocales: ['de', 'ar'],
    allowSmsSubscribers: true,
    allowWebhookSubscribers: true,
    description: 'Everything that Acme runs: https://acme.example/a-path-without-any-break-in-it',
  },
})
await api.call(maintenanceOperations.create, {
  body: {
    title: 'New shelves',
    message: 'We are slower for an hour.',
    componentIds: [shop],
    scheduledFor: after(HOUR_MS),
    scheduledUntil: after(2 * HOUR_MS),
  },
})

const show = pathOf(pageOperations.show, { params: { slug: 'states' } })
const postUpdate = (id: string, body: object) =>
  api.call(incidentOperations.addUpdate, { params: { id }, body: body as never })

let outage = ''

/** States in order; each follows from the one before it. */
const states: Record<string, () => Promise<unknown>> = {
  'All systems operational': async () => {},
  'Partial system outage': async () => {
    const { id } = await api.call(incidentOperations.create, {
      body: {
        title: 'Searches <fail> & more',
        impact: 'major',
        message: 'We look into it.',
        componentStatuses: { [search]: 'partial_outage' },
      },
    })
    outage = id
    await postUpdate(id, { status: 'identified', message: 'AVeryLongWordOfALog'.repeat(8) })
  },
  'Major system outage': () =>
    api.call(incidentOperations.create, {
      body: {
        title: 'Nothing works',
        impact: 'critical',
        componentStatuses: { [web]: 'major_outage' },
      },
    }),
  'Service under maintenance': async () => {
    const { data } = await api.call(incidentOperations.list, { query: {} })
    for (const { id, components } of data) {
      const fine = components.map((one) => [one.id, 'operational'])
      await postUpdate(id, {
        status: 'resolved',
        message: 'It works.',
        componentStatuses: Object.fromEntries(fine),
      })
    }
    await api.call(maintenanceOperations.create, {
      body: {
        title: 'New disks',
        message: 'We change them.',
        componentIds: [web],
        scheduledFor: after(-MINUTE_MS),
        scheduledUntil: after(HOUR_MS),
      },
    })
  },
}

t.test('the image of the link preview is served, whatever its query', async (t) => {
  const { text } = await world.api.send('GET', show)
  const [, url = ''] = /<meta property="og:image" content="([^"]+)">/.exec(text) ?? []
  for (const pictureUrl of [url, url, `${url}&anything=else`]) {
    const response = await fetch(pictureUrl)
    t.equal(response.status, 200)
    t.equal(response.headers.get('content-type'), 'image/png')
    t.match(response.headers.get('cache-control'), /^public, max-age=30,/)
    const bytes = Buffer.from(await response.arrayBuffer())
    t.equal(bytes.toString('latin1', 1, 4), 'PNG')
  }
})

/** Viewport of a common phone, and the minimum size of its touch targets. */
const PHONE = { width: 390, height: 844 }
const TOUCH_PX = 44

/** Page with twenty components in five groups, of which an outage affects two. */
const twentyComponents = async () => {
  const { api } = await register(world.api, 'twenty')
  const groups = ['Core platform', 'Messaging', 'Media', 'Back office', 'Edge']
  const components: { componentId: string; groupName: string }[] = []
  for (const groupName of groups) {
    for (const name of ['API', 'Dashboard', 'Delivery', 'Search']) {
      const body = { type: 'SERVICE', name: `${name} ${components.length}` } as const
      const { id } = await api.call(componentOperations.create, { body })
      components.push({ componentId: id, groupName })
    }
  }
  const [first = '', second = '', ...others] = components.map(({ componentId }) => componentId)
  const slug = 'twenty'
  const locales = { alternateLocales: ['de', 'ar'] as ('de' | 'ar')[] }
  const name = 'Northwind Traders'
  await api.call(statusPageOperations.create, {
    body: { name, slug, isPublished: true, components, ...locales },
  })
  const { id } = await api.call(incidentOperations.create, {
    body: {
      title: 'Requests of the dashboard fail',
      impact: 'critical',
      message: 'We are investigating failed requests.',
      componentStatuses: {
        [first]: 'major_outage',
        [second]: 'major_outage',
        [others[3] ?? '']: 'degraded_performance',
        [others[4] ?? '']: 'partial_outage',
      },
    },
  })
  const message = 'A replica of the database is overloaded. We are moving traffic to another one.'
  const nextUpdateAt = after(HOUR_MS)
  await api.call(incidentOperations.addUpdate, {
    params: { id },
    body: { status: 'identified', message, nextUpdateAt },
  })
  const worsen = () => {
    const statuses = components.map(({ componentId }) => [componentId, 'partial_outage'])
    return api.call(incidentOperations.addUpdate, {
      params: { id },
      body: { message, componentStatuses: Object.fromEntries(statuses) },
    })
  }
  return { slug, worsen }
}

/** Removes the page's scripts. The browser's scripts stay enabled, because axe needs them. */
const withoutScripts = async (route: Route): Promise<void> => {
  const response = await route.fetch()
  const body = (await response.text()).replaceAll(/<script[^>]*>[\s\S]*?<\/script>/g, '')
  await route.fulfill({ response, body })
}

/** Refuses the page's live updates, which rename elements while a test compares them. */
const withoutUpdates = (route: Route): Promise<void> => {
  const request = route.request()
  const isUpdate = request.resourceType() === 'fetch' && request.url() === request.frame().url()
  return isUpdate ? route.abort() : route.continue()
}

t.test('a browser', { skip: browserSkipReason }, async (t) => {
  const browser = await openBrowser(t)
  const page = await browser.newPage()
  await page.route('**', withoutScripts)

  for (const [words, reach] of Object.entries(states)) {
    t.test(`${words}: fits the window without axe violations and without scripts`, async (t) => {
      await reach()
      const isShown = async () => (await world.api.send('GET', show)).text.includes(`<h2>${words}`)
      await eventually(isShown, { timeoutMs: 10_000 })
      await page.goto(`${world.stack.baseUrl}${show}`, { waitUntil: 'load' })
      t.match(await page.locator('.banner').textContent(), words)
      for (const width of [360, 768, 1440]) {
        await page.setViewportSize({ width, height: 900 })
        t.ok((await overflowOf(page)) <= 0, `${width}`)
        await page.emulateMedia({ colorScheme: 'light' })
        t.same(await violationsOn(page), [], `${width} light`)
        await page.emulateMedia({ colorScheme: 'dark' })
        t.same(await colourViolationsOn(page), [], `${width} dark`)
      }
    })
  }

  t.test('twenty components in an outage need two screens of a phone at most', async (t) => {
    const { slug, worsen } = await twentyComponents()
    const heightOf = async (phone: Page) =>
      Number(await phone.evaluate('document.documentElement.scrollHeight'))
    for (const locale of ['en', 'de', 'ar']) {
      const phone = await browser.newPage({ viewport: PHONE, locale })
      await phone.goto(`${world.stack.baseUrl}/status/${slug}`, { waitUntil: 'load' })
      t.equal(await phone.evaluate('document.documentElement.lang'), locale)
      const height = await heightOf(phone)
      t.ok(height <= 2 * PHONE.height, `${locale}: ${height}`)
      const rows = phone.locator('.grp > summary, .rest > summary, header .b')
      for (const row of await rows.all()) {
        const { height: target = TOUCH_PX } = (await row.boundingBox()) ?? {}
        t.ok(target >= TOUCH_PX, `${await row.textContent()}: ${target}`)
      }
      await phone.close()
    }
    await worsen()
    const phone = await browser.newPage({ viewport: PHONE, locale: 'en' })
    const open = () => phone.goto(`${world.stack.baseUrl}/status/${slug}`, { waitUntil: 'load' })
    const affected = phone.getByText('4 of 4 affected')
    await eventually(async () => {
      await open()
      return (await affected.count()) === 5
    })
    const height = await heightOf(phone)
    t.ok(height <= 2 * PHONE.height, `all components: ${height}`)
    t.equal(await phone.locator('.bars:visible').count(), 0)
    await phone.setViewportSize({ width: 1_280, height: 900 })
    await open()
    t.equal(await phone.locator('.bars:visible').count(), 20)
    await phone.close()
  })

  t.test('a chosen language precedes that of the browser, on every page', async (t) => {
    const german = await browser.newPage({ locale: 'de-AT' })
    const language = () => german.evaluate('document.documentElement.lang')
    await german.goto(`${world.stack.baseUrl}${show}`, { waitUntil: 'load' })
    t.equal(await language(), 'de')
    await german.getByRole('link', { name: 'English' }).click()
    await german.waitForURL(/locale=en/)
    t.equal(await language(), 'en')
    await german.getByRole('link', { name: 'History' }).first().click()
    await german.waitForURL(/history/)
    t.equal(await language(), 'en')
    await german.close()
  })

  t.test('the keyboard reaches every element in order, with visible focus', async (t) => {
    const viewport = { width: 768, height: 600 }
    const scripted = await browser.newPage({ viewport, reducedMotion: 'reduce' })
    await scripted.route('**', withoutUpdates)
    for (const part of ['', '/subscribe', `/incidents/${outage}`, '/history']) {
      await scripted.goto(`${world.stack.baseUrl}${show}${part}`, { waitUntil: 'load' })
      await openDetails(scripted)
      const expected = await focusStopsOn(scripted)
      t.ok(expected.length > 5, `${part}: ${expected.length}`)
      const stops = await walkFocusStops(scripted, expected.length + 1)
      t.same(
        stops.map(({ name }) => name),
        expected,
        `all of ${part}`,
      )
      t.same(
        stops.filter(({ isSeen }) => !isSeen),
        [],
        `each of ${part}`,
      )
    }
  })
})

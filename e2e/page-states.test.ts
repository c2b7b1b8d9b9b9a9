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
import type { Route } from 'playwright-core'
import t from 'tap'
import { pathOf } from './kit/api.ts'
import { browserSkipReason, openBrowser } from './kit/browser.ts'
import { register } from './kit/journey.ts'
import {
  focusStopsOn,
  openDetails,
  overflowOf,
  violationsOn,
  walkFocusStops,
} from './kit/page-assertions.ts'
import { startWorld } from './kit/world.ts'

t.setTimeout(120_000)

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
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          t.same(await violationsOn(page), [], `${width} ${colorScheme}`)
        }
      }
    })
  }

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
        stops.map(({ what }) => what),
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

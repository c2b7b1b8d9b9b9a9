/**
 * Access to every address of the dashboard: entries of another organization are not found, and a
 * viewer causes no refused request.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import {
  componentOperations,
  configurationOperations,
  deliveryOperations,
  eventStreamOperations,
  fullPath,
  incidentOperations,
  integrationOperations,
  maintenanceOperations,
  metricQueryOperations,
  notificationChannelOperations,
  type Operation,
  oncallAlertOperations,
  oncallScheduleOperations,
  roleOperations,
  slaOperations,
  statusPageOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { Page, Request } from 'playwright-core'
import t from 'tap'
import type { Api } from '../kit/api.ts'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { dashboardSettings, openDashboard, switchOrganization } from '../kit/dashboard.ts'
import { ownParams, populate } from '../kit/population.ts'
import { joinOrganization, register } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

/** Bound of a view on a busy machine. */
const LOADED_WITHIN_MS = 60_000

/** Operation whose ids each address with an id contains. */
const details: Record<string, Operation> = {
  '/channels/$id': notificationChannelOperations.read,
  '/components/$id': componentOperations.read,
  '/components/$id/settings': componentOperations.read,
  '/configuration/versions/$id': configurationOperations.readVersion,
  '/deliveries/$id': deliveryOperations.read,
  '/incidents/$id': incidentOperations.read,
  '/incidents/$id/postmortem': incidentOperations.read,
  '/integrations/$id': integrationOperations.read,
  '/integrations/$id/metrics/$queryId': metricQueryOperations.read,
  '/integrations/$id/metrics/new': integrationOperations.read,
  '/maintenances/$id': maintenanceOperations.read,
  '/maintenances/$id/edit': maintenanceOperations.read,
  '/on-call/alerts/$id': oncallAlertOperations.read,
  '/on-call/schedules/$id': oncallScheduleOperations.read,
  '/on-call/schedules/$id/settings': oncallScheduleOperations.read,
  '/pages/$id': statusPageOperations.read,
  '/pages/$id/domain': statusPageOperations.read,
  '/pages/$id/embed': statusPageOperations.read,
  '/people/roles/$id': roleOperations.read,
  '/service-levels/$id': slaOperations.read,
  '/service-levels/$id/edit': slaOperations.read,
}
/** The steps of the set-up are not entries of an organization. */
const hasNoIds = (path: string) => !path.includes('$') || path === '/start/$step'

const folder = fileURLToPath(new URL('../../packages/dashboard/src/app/', import.meta.url))
const paths = readdirSync(folder)
  .map((name) => readFileSync(`${folder}${name}`, 'utf8'))
  .flatMap((text) => [...text.matchAll(/^ {2}path: '([^']*)',$/gm)].map(([, path = '']) => path))

t.test('every address with an id is in the table', async (t) => {
  t.same(Object.keys(details).sort(), paths.filter((path) => !hasNoIds(path)).sort())
})

/** Requests of the page without a reply; the event stream has none. */
const pendingRequestsOf = (page: Page): ReadonlySet<Request> => {
  const pending = new Set<Request>()
  const stream = fullPath(eventStreamOperations.stream)
  page.on('request', (request) => {
    if (!request.url().includes(stream)) pending.add(request)
  })
  page.on('requestfinished', (request) => pending.delete(request))
  page.on('requestfailed', (request) => pending.delete(request))
  return pending
}

if (browserSkipReason === false) {
  const world = await startWorld(t, await dashboardSettings())
  const [ours, theirs, guest] = [
    await register(world.api, 'access-ours'),
    await register(world.api, 'access-theirs'),
    await register(world.api, 'access-guest'),
  ]
  await populate(ours.api)
  const browser = await openBrowser(t)
  const url = `${world.stack.baseUrl}/dashboard`

  const addressOf = async (api: Api, path: string): Promise<string> => {
    const params = await ownParams(api, details[path] as Operation)
    return path.replaceAll(/\$(\w+)/g, (_text, name: string) => params[name] ?? '')
  }
  /** The router follows the history of the browser: no address loads the application again. */
  const open = (page: Page, path: string) =>
    page.evaluate((to) => history.pushState({}, '', to), `/dashboard${path}`)
  const mainOf = (page: Page) => page.locator('#main')
  const keysOn = (page: Page) => mainOf(page).getByRole('heading', { name: 'API keys', level: 1 })
  /** Opens a view whose heading no other view has, so that the next view is recognized. */
  const openKeys = async (page: Page) => {
    await open(page, '/keys')
    await keysOn(page).waitFor()
  }

  t.test('entries of another organization are not found', async (t) => {
    const { page } = await openDashboard(browser, { url, tenant: theirs })
    await page.getByRole('heading', { level: 1 }).waitFor()
    for (const path of Object.keys(details)) {
      await openKeys(page)
      await open(page, await addressOf(ours.api, path))
      await mainOf(page).getByText('Page not found').waitFor()
      t.equal(await mainOf(page).getByRole('textbox').count(), 0, path)
    }
  })

  t.test('a viewer reads every address without a refused request', async (t) => {
    await joinOrganization(world, ours, { guest, role: 'VIEWER' })
    const { page, problems } = await openDashboard(browser, { url, tenant: { email: guest.email } })
    await switchOrganization(page, ours.name)
    const pending = pendingRequestsOf(page)
    const refused: string[] = []
    page.on('response', (response) => {
      if (response.status() === 403) refused.push(`${page.url()}: ${response.url()}`)
    })
    const addresses = await Promise.all(
      paths
        .filter((path) => !['/signed-in', '/start/$step', '/keys'].includes(path))
        .map((path) => (hasNoIds(path) ? path : addressOf(ours.api, path))),
    )
    const isLoaded = async () => {
      const heading = mainOf(page).getByRole('heading', { level: 1 })
      if ((await keysOn(page).count()) > 0 || (await heading.count()) === 0) return false
      // Requests start after the frame in which their view appears.
      await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
      return pending.size === 0 && (await mainOf(page).getByText('Loading …').count()) === 0
    }
    for (const address of addresses) {
      await openKeys(page)
      await open(page, address)
      await eventually(isLoaded, { timeoutMs: LOADED_WITHIN_MS })
    }
    t.same(refused, [])
    t.same(problems, [])
  })
}

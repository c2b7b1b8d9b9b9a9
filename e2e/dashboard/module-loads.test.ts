/** Modules of the dashboard that cannot be loaded: no network, overload, and a new version. */
import { eventually } from '@status-page/testing'
import type { Page, Route } from 'playwright-core'
import t, { type Test } from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import { checkScreen, dashboardSettings, openDashboard } from '../kit/dashboard.ts'
import { register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const url = `${world.stack.baseUrl}/dashboard`
const skip = browserSkipReason

/** The cache of the browser contains no view. */
const open = async (t: Test, tenant: Tenant) =>
  openDashboard(await openBrowser(t), { url, tenant, options: {} })

const follow = (page: Page, name: string) =>
  page.getByRole('navigation').getByRole('link', { name, exact: true }).click()
const failureOn = (page: Page) => page.getByText('This part of the dashboard could not be loaded')
const reloadOn = (page: Page) => page.getByRole('button', { name: 'Reload', exact: true })

/** Responses in place of a file, by the view whose file it is. */
const refusals: Record<string, { files: string; refuse(route: Route): Promise<void> }> = {
  People: { files: 'people-screen-*.js', refuse: (route) => route.abort('connectionreset') },
  'API keys': { files: 'keys-screen-*.js', refuse: (route) => route.fulfill({ status: 429 }) },
  'Audit log': { files: 'audit-screen-*.css', refuse: (route) => route.fulfill({ status: 503 }) },
}

t.test('a view whose files are refused is loaded by the button', { skip }, async (t) => {
  const tenant = await register(world.api, 'refused-files')
  const dashboard = await open(t, tenant)
  const { page } = dashboard
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  let pageLoads = 0
  page.on('load', () => {
    pageLoads += 1
  })
  for (const [view, { files, refuse }] of Object.entries(refusals)) {
    const pattern = `**/assets/${files}`
    await page.route(pattern, refuse)
    await follow(page, view)
    await failureOn(page).waitFor()
    t.equal(await page.title(), `${view} · Status`)
    const repeated = page.waitForRequest(pattern)
    await reloadOn(page).click()
    await repeated
    await failureOn(page).waitFor()
    await page.unroute(pattern)
    await reloadOn(page).click()
    await failureOn(page).waitFor({ state: 'detached' })
    await page.getByRole('heading', { name: view, level: 1 }).waitFor()
  }
  const entry = page.locator('details > summary').first()
  const display = await entry.evaluate((element) => getComputedStyle(element).display)
  t.equal(display, 'grid', 'the view has its styles')
  t.equal(pageLoads, 0, 'the page keeps its state')
})

t.test('a view is loaded once the browser is online', { skip }, async (t) => {
  const tenant = await register(world.api, 'loads-offline')
  const dashboard = await open(t, tenant)
  const { page } = dashboard
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
  await page.context().setOffline(true)
  await follow(page, 'People')
  await failureOn(page).waitFor()
  await reloadOn(page).click()
  // The note of the first failure remains until the second.
  await eventually(() => dashboard.problems.length === 2)
  t.ok(dashboard.problems.every((text) => text.startsWith('ModuleLoadError')))
  dashboard.problems.length = 0
  await checkScreen(t, dashboard)
  await page.context().setOffline(false)
  await failureOn(page).waitFor({ state: 'detached' })
})

t.test('after an update, the button loads the new version and keeps text', { skip }, async (t) => {
  const tenant = await register(world.api, 'loads-updated')
  const { page } = await open(t, tenant)
  await page.getByRole('button', { name: 'New incident' }).click()
  const line = page.getByRole('textbox', { name: 'What is wrong?' })
  await line.fill('API errors')
  await page.keyboard.press('Escape')
  await line.waitFor({ state: 'detached' })
  const removed = '**/assets/people-screen-*.js'
  await page.route(removed, (route) => route.fulfill({ status: 404 }))
  const updated = async (route: Route) => {
    const response = await route.fetch()
    const body = (await response.text()).replace('assets/index-', 'assets/index-updated-')
    await route.fulfill({ response, body })
  }
  await page.route('**/dashboard/', updated, { times: 1 })
  await follow(page, 'People')
  await failureOn(page).waitFor()
  await page.unroute(removed)
  const loaded = page.waitForEvent('load')
  await reloadOn(page).click()
  await loaded
  await page.getByRole('heading', { name: 'People', level: 1 }).waitFor()
  await page.getByRole('button', { name: 'New incident' }).click()
  t.equal(await line.inputValue(), 'API errors')
})

t.test('a part that fails to load leaves the rest of its view', { skip }, async (t) => {
  const tenant = await register(world.api, 'loads-part')
  const dashboard = await open(t, tenant)
  const { page } = dashboard
  const parts = /\/assets\/(?:composer-views|yaml-editor)-[\w-]+\.js$/
  await page.route(parts, (route) => route.abort('internetdisconnected'))
  await page.reload()
  await page.getByRole('button', { name: 'New incident' }).click()
  const dialog = page.getByRole('dialog', { name: 'New incident' })
  await dialog.getByText('could not be loaded').waitFor()
  await checkScreen(t, dashboard)
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await follow(page, 'Configuration')
  await failureOn(page).waitFor()
  await page.getByRole('button', { name: 'Show the plan' }).waitFor()
  await checkScreen(t, dashboard)
  await page.unroute(parts)
  await reloadOn(page).click()
  await page.getByRole('textbox', { name: 'Configuration document' }).waitFor()
  await page.getByRole('button', { name: 'New incident' }).click()
  await dialog.getByRole('textbox', { name: 'What is wrong?' }).waitFor()
})

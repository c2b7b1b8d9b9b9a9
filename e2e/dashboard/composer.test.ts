/** Incident composer: from an alarm to a published incident, whatever the network does. */
import {
  componentOperations,
  incidentOperations,
  incidentTemplateOperations,
  statusPageOperations,
  subscriberOperations,
} from '@status-page/contracts'
import { eventually } from '@status-page/testing'
import type { BrowserContextOptions, Page } from 'playwright-core'
import t, { type Test } from 'tap'
import { browserSkipReason, openBrowser } from '../kit/browser.ts'
import {
  checkScreen,
  chooseByTyping,
  type DashboardPage,
  dashboardSettings,
  logIn,
  openDashboard,
} from '../kit/dashboard.ts'
import { setRole } from '../kit/member-role.ts'
import { register, type Tenant } from '../kit/tenant.ts'
import { startWorld } from '../kit/world.ts'

const world = await startWorld(t, await dashboardSettings())
const url = `${world.stack.baseUrl}/dashboard`
const HOSTILE_NAME = '<img src=x onerror=alert(1)>'
/** Time in which a publication can be undone, in ms. */
const UNDO_MS = 5_000
const MIN_TARGET_PX = 44
const PHONE = { viewport: { width: 390, height: 844 }, hasTouch: true, isMobile: true }
const LANDSCAPE = { ...PHONE, viewport: { width: 667, height: 375 } }

const createTenant = async (name: string): Promise<Tenant> => {
  const tenant = await register(world.api, name)
  const { api } = tenant
  for (const component of ['API', 'Checkout', 'Search EU', 'Search US', HOSTILE_NAME, 'الدفع']) {
    await api.call(componentOperations.create, { body: { type: 'SERVICE', name: component } })
  }
  await api.call(statusPageOperations.create, {
    body: { name: 'Acme Status', slug: name, isPublished: true },
  })
  await api.call(subscriberOperations.create, {
    body: { type: 'email', email: `reader@${name}.test` },
  })
  return tenant
}

const incidentsOf = async ({ api }: Tenant) => (await api.call(incidentOperations.list)).data

const noticesOn = (page: Page) => page.getByRole('region', { name: 'Publication of incidents' })

const openComposer = async (page: Page): Promise<void> => {
  await page.getByRole('button', { name: 'New incident' }).waitFor()
  await page.keyboard.press('c')
  await page.getByRole('textbox', { name: 'What is wrong?' }).waitFor()
}

const skip = browserSkipReason

const openAs = async (
  t: Test,
  tenant: Tenant,
  options?: BrowserContextOptions,
): Promise<DashboardPage> =>
  openDashboard(await openBrowser(t), { url, tenant, ...(options ? { options } : {}) })

t.test('from zero to published by keyboard, with few keys beyond the text', { skip }, async (t) => {
  const tenant = await createTenant('composer')
  await tenant.api.call(incidentTemplateOperations.create, {
    body: { name: 'Provider', title: 'Problems at {{provider}}', message: 'A provider fails.' },
  })
  const dashboard = await openAs(t, tenant, {})
  const { page } = dashboard
  let presses = 0
  const press = (keys: string) => {
    presses += keys.split('+').length
    return page.keyboard.press(keys)
  }
  await page.getByRole('button', { name: 'New incident' }).waitFor()
  await page.clock.install()
  await press('c')
  await page.getByRole('textbox', { name: 'What is wrong?' }).waitFor()
  await page.keyboard.type(`api, ${HOSTILE_NAME} down, checkout slow`)
  await press('Enter')
  await page.keyboard.type('We are **investigating**.')
  await page.getByText('Notifies 1 recipient').waitFor()
  await page.getByText('Acme Status').waitFor()
  await page.locator('strong').getByText('investigating').waitFor()
  t.equal(await page.locator('dialog img, [role=dialog] img').count(), 0, 'names stay text')
  const impact = await page.getByRole('button', { name: /Impact$/ }).boundingBox()
  const footer = await page.locator('footer', { hasText: 'Publish' }).boundingBox()
  t.ok(impact && footer && impact.y + impact.height < footer.y, 'the impact needs no scrolling')
  await checkScreen(t, dashboard)
  await press('Control+Enter')
  await noticesOn(page).getByRole('button', { name: 'Undo' }).waitFor()
  t.ok(presses <= 12, `${presses} key presses beyond the text`)
  await page.clock.fastForward(UNDO_MS - 2_000)
  t.same(await incidentsOf(tenant), [], 'no request before the end of the countdown')
  await page.clock.fastForward(2_000)
  await noticesOn(page).getByRole('link', { name: 'Open the incident' }).waitFor()
  await checkScreen(t, dashboard)
  const [incident, ...others] = await incidentsOf(tenant)
  t.same(others, [])
  t.match(incident, {
    title: `API, ${HOSTILE_NAME} down, Checkout slow`,
    impact: 'critical',
    status: 'investigating',
    message: 'We are **investigating**.',
  })
  const statuses = incident?.components.map(({ name, status }) => [name, status])
  t.same(Object.fromEntries(statuses ?? []), {
    API: 'major_outage',
    [HOSTILE_NAME]: 'major_outage',
    Checkout: 'degraded_performance',
  })
  t.match(incident?.nextUpdateAt, /Z$/, 'a next update is promised')

  await t.test('ambiguous names and templates need choices', async (t) => {
    await openComposer(page)
    await page.keyboard.type('search down')
    await page.keyboard.press('Control+Enter')
    await page.getByText('Choose a component for “search”').waitFor()
    await page.getByRole('button', { name: 'Search US' }).click()
    await page.getByRole('button', { name: 'Provider' }).click()
    await checkScreen(t, dashboard)
    await page.keyboard.press('Control+Enter')
    await page.getByText('Enter a value for provider.').waitFor()
    await page.getByRole('textbox', { name: 'Value for provider' }).fill('Cloud')
    await page.getByRole('button', { name: 'Publish' }).click()
    await page.clock.fastForward(UNDO_MS)
    await eventually(async () => (await incidentsOf(tenant)).length === 2)
    const [second] = await incidentsOf(tenant)
    t.match(second, { title: 'Problems at Cloud', components: [{ name: 'Search US' }] })
  })
})

t.test('an incident is published by keyboard after a component was added', { skip }, async (t) => {
  const tenant = await createTenant('composer-added')
  const { page } = await openAs(t, tenant)
  await openComposer(page)
  await page.keyboard.type('login fails')
  const search = page.getByRole('combobox', { name: 'Add a component' })
  await chooseByTyping(search, 'Search US')
  const remove = page.getByRole('button', { name: 'Remove Search US' })
  await remove.waitFor()
  const focused = search.and(page.locator(':focus'))
  await focused.waitFor()
  await remove.press('Enter')
  await remove.waitFor({ state: 'detached' })
  await focused.waitFor()
  t.ok(await page.getByRole('dialog').isVisible(), 'the next key closes no dialog')
  await page.keyboard.press('Control+Enter')
  await noticesOn(page).getByRole('button', { name: 'Undo' }).waitFor()
})

/** Runs in the page. */
const hasDraftLock = async (): Promise<boolean> => {
  const { held = [] } = await navigator.locks.query()
  return held.some(({ name }) => name?.startsWith('dashboard.draft.'))
}

t.test('what is typed while the composer loads is in its fields', { skip }, async (t) => {
  const tenant = await createTenant('composer-early')
  const { page } = await openAs(t, tenant, {})
  await openComposer(page)
  await page.keyboard.type('API')
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let requests = 0
  await page.route(/composer-views/, async (route) => {
    requests++
    await released
    await route.continue()
  })
  await page.reload()
  await eventually(() => requests > 0)
  // The tab opens a stored draft once it has its lock; text before that begins a new draft.
  await eventually(() => page.evaluate(hasDraftLock))
  await page.keyboard.press('c')
  await page.keyboard.press('Backspace')
  await page.keyboard.type(' downn')
  await page.keyboard.press('Backspace')
  await page.keyboard.press('Enter')
  await page.keyboard.type('We look.')
  release()
  const message = page.getByRole('textbox', { name: 'Message' })
  await message.waitFor()
  t.equal(await message.inputValue(), 'We look.')
  const line = page.getByRole('textbox', { name: 'What is wrong?' })
  t.equal(await line.inputValue(), 'API down', 'Backspace deletes no text of the restored draft')
  await page.keyboard.type(' Soon more.')
  t.equal(await message.inputValue(), 'We look. Soon more.', 'the focus is in the message')
})

t.test('a publication can be undone, and no text is lost', { skip }, async (t) => {
  const tenant = await createTenant('composer-undo')
  const dashboard = await openAs(t, tenant)
  const { page } = dashboard
  const line = page.getByRole('textbox', { name: 'What is wrong?' })
  await openComposer(page)
  await page.keyboard.type('API down')
  await page.keyboard.press('Control+Enter')
  const undo = noticesOn(page).getByRole('button', { name: 'Undo' })
  await undo.waitFor()
  await page.keyboard.press('Enter')
  t.equal(await line.inputValue(), 'API down', 'the focus is on Undo')
  await page.keyboard.press('Control+Enter')
  await undo.waitFor()
  await page.reload()
  await noticesOn(page).getByText('Unsent incident: API down').waitFor()
  await checkScreen(t, dashboard)
  await new Promise((resolve) => setTimeout(resolve, UNDO_MS))
  t.same(await incidentsOf(tenant), [], 'a reload during the countdown sends nothing')

  const other = await register(world.api, 'composer-other')
  await page.getByRole('button', { name: 'Account and settings' }).click()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL('**/sign-in')
  await page.goto(url)
  await logIn(page, other)
  await page.getByRole('button', { name: 'New incident' }).waitFor()
  t.equal(await page.getByText('API down').count(), 0, 'another user sees nothing of it')
  await page.context().clearCookies()
  await page.goto(url)
  await logIn(page, tenant)
  await noticesOn(page).getByRole('button', { name: 'Continue' }).click()
  t.equal(await line.inputValue(), 'API down', 'the text outlives a logout')
})

/** Composes an incident, ends the session before its publication, and opens the tab of the login. */
const endSession = async (t: Test, tenant: Tenant): Promise<{ page: Page; login: Page }> => {
  const { page } = await openAs(t, tenant)
  await openComposer(page)
  await page.keyboard.type('API down')
  await page.getByRole('list', { name: 'Affected components' }).waitFor()
  await page.context().clearCookies()
  await page.keyboard.press('Control+Enter')
  const link = page.getByRole('link', { name: 'Sign in' })
  await link.waitFor()
  const [login] = await Promise.all([page.context().waitForEvent('page'), link.click()])
  return { page, login }
}

t.test('the session ends before the publication, which follows the login', { skip }, async (t) => {
  const tenant = await createTenant('composer-session')
  const { page, login } = await endSession(t, tenant)
  t.same(await incidentsOf(tenant), [])
  await logIn(login, tenant)
  await noticesOn(page).getByText('“API down” is published.').waitFor()
  t.equal((await incidentsOf(tenant)).length, 1)
  await eventually(() => login.isClosed())
})

t.test(
  'a tab without the message about the login continues with the focus',
  { skip },
  async (t) => {
    const tenant = await createTenant('composer-focus')
    const { page, login } = await endSession(t, tenant)
    await login.addInitScript(() => {
      BroadcastChannel.prototype.postMessage = () => undefined
    })
    await logIn(login, tenant)
    await login.getByText('You are signed in.').waitFor()
    t.ok(await page.getByRole('link', { name: 'Sign in' }).isVisible(), 'the message was lost')
    await page.evaluate(() => dispatchEvent(new Event('focus')))
    await noticesOn(page).getByText('“API down” is published.').waitFor()
    t.equal((await incidentsOf(tenant)).length, 1)
    t.notOk(login.isClosed(), 'the tab stays open until another one has received its message')
  },
)

for (const [screen, options] of Object.entries({
  desktop: {},
  phone: PHONE,
  landscape: LANDSCAPE,
})) {
  t.test(`the button to publish keeps its place on a ${screen}`, { skip }, async (t) => {
    const tenant = await createTenant(`composer-${screen}-frames`)
    const { page } = await openAs(t, tenant, options)
    const places = await page.evaluateHandle(() => {
      const found = new Set<number>()
      const record = () => {
        const button = document.querySelector('[role=dialog] footer > button')
        if (button !== null) found.add(button.getBoundingClientRect().top)
        requestAnimationFrame(record)
      }
      record()
      return found
    })
    await openComposer(page)
    await page.getByRole('checkbox', { name: 'Notify subscribers' }).waitFor()
    await page.getByText('Acme Status').waitFor()
    t.equal((await places.evaluate((found) => [...found])).length, 1)
    const footer = await page.locator('footer', { hasText: 'Publish' }).boundingBox()
    const { height = 0 } = page.viewportSize() ?? {}
    t.ok((footer?.height ?? height) <= height / 4, 'most of the screen is for the fields')
  })
}

t.test('with one thumb on a phone', { skip }, async (t) => {
  const tenant = await createTenant('composer-phone')
  const dashboard = await openAs(t, tenant, PHONE)
  const { page } = dashboard
  const reachOf = async (name: string) => {
    const box = await page.getByRole('button', { name }).boundingBox()
    return (box?.y ?? 0) / PHONE.viewport.height
  }
  await page.getByRole('button', { name: 'New incident' }).waitFor()
  await page.clock.install()
  t.ok((await reachOf('New incident')) > 0.5, 'the button is in the lower half')
  await page.getByRole('button', { name: 'New incident' }).tap()
  await page.getByRole('textbox', { name: 'What is wrong?' }).fill('checkout slow')
  t.ok((await reachOf('Publish')) > 0.5, 'the main action is in the lower half')
  const targets = page.getByRole('dialog').locator('button:visible, label:visible:has(input)')
  const lowTargets = await targets.evaluateAll((elements, minimum) => {
    const isLow = (element: Element) => element.getBoundingClientRect().height < minimum
    return elements.filter(isLow).map((element) => element.outerHTML)
  }, MIN_TARGET_PX)
  t.same(lowTargets, [], 'every target is as high as a finger')
  await page.getByRole('button', { name: 'Publish' }).tap()
  await noticesOn(page).getByRole('button', { name: 'Undo' }).waitFor()
  await page.clock.fastForward(UNDO_MS)
  await noticesOn(page).getByText('“Checkout slow” is published.').waitFor()
  const holdsFocus = (region: Element) => region.contains(document.activeElement)
  t.ok(await noticesOn(page).evaluate(holdsFocus), 'the end of the countdown keeps the focus')
  t.match(await incidentsOf(tenant), [{ title: 'Checkout slow', impact: 'minor' }])
})

t.test('a viewer has neither the button nor the shortcut', { skip }, async (t) => {
  const tenant = await createTenant('composer-viewer')
  await setRole(world, tenant, 'VIEWER')
  const { page } = await openAs(t, tenant)
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor()
  await page.keyboard.press('c')
  t.equal(await page.getByRole('dialog').count(), 0)
  t.equal(await page.getByRole('button', { name: 'New incident' }).count(), 0)
})

t.test('without core the incident waits, and is published exactly once', { skip }, async (t) => {
  const tenant = await createTenant('composer-queue')
  const dashboard = await openAs(t, tenant)
  const { page } = dashboard
  const keys: (string | undefined)[] = []
  page.on('request', (request) => {
    if (request.method() === 'POST' && request.url().endsWith('/api/v1/incidents'))
      keys.push(request.headers()['idempotency-key'])
  })
  await openComposer(page)
  await page.keyboard.type('API down')
  await page.getByRole('list', { name: 'Affected components' }).waitFor()
  const { core } = world.stack.processes
  await core.kill('SIGKILL')
  await page.keyboard.press('Control+Enter')
  await noticesOn(page).getByText('“API down” waits to be published').waitFor()
  await checkScreen(t, dashboard)
  await page.reload()
  await noticesOn(page).getByText('“API down” waits to be published').waitFor()
  await core.restart()
  await core.waitReady()
  await noticesOn(page).getByText('“API down” is published.').waitFor({ timeout: 90_000 })
  t.match(await incidentsOf(tenant), [{ title: 'API down' }])
  t.equal(new Set(keys).size, 1, 'every attempt has the same key')
  t.ok(keys.length > 1)
})

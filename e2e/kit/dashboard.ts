/** Dashboard in a browser: its build, a login, and problems that every screen must not have. */
import { authOperations } from '@status-page/contracts'
import { dashboardFolder } from '@status-page/dashboard/build'
import { buildDashboardIfChanged } from '@status-page/infra/builds'
import { eventually } from '@status-page/testing'
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core'
import type { Test } from 'tap'
import { browserSkipReason, newPage, reusablePage } from './browser.ts'
import {
  colourViolationsOn,
  overflowOf,
  targetViolationsOn,
  violationsOn,
} from './page-assertions.ts'
import { type LoginAccount, PASSWORD, type Tenant } from './tenant.ts'
import type { WorldOptions } from './world.ts'

const PHONE = { width: 390, height: 844 }
const DESKTOP = { width: 1280, height: 900 }

/** Maximum time of a step on a busy machine. */
const STEP_TIMEOUT_MS = 90_000

/** The layout of a new window size, and the colours of a new mode, are complete two frames later. */
const NEXT_FRAME = 'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))'

export const nextFrame = (page: Page): Promise<unknown> => page.evaluate(NEXT_FRAME)

/** Builds the dashboard if a browser can show it; the settings let the gateway serve it. */
export const dashboardSettings = async (): Promise<WorldOptions> => {
  if (browserSkipReason === false) await buildDashboardIfChanged()
  return { settings: { gateway: { DASHBOARD_DIR: dashboardFolder } } }
}

type DashboardUser = Pick<LoginAccount, 'email'> & Partial<Pick<Tenant, 'session'>>

export interface DashboardPage {
  page: Page
  /** Messages of the console, of which a violation of the policy is one. */
  problems: string[]
}

const CONTEXT: BrowserContextOptions = {
  locale: 'en',
  timezoneId: 'UTC',
  viewport: DESKTOP,
  // Transitions would be drawn frame by frame, without a graphics processor.
  reducedMotion: 'reduce',
}

/**
 * Opens a path of the dashboard as the user: with the session of a tenant while it lasts, which
 * saves a page load and the check of a password, otherwise through the login page. A test that
 * changes the clock, the network or the cache of the browser passes options, even empty ones, for a
 * context of its own.
 */
export const openDashboard = async (
  browser: Browser,
  {
    url,
    tenant,
    options,
  }: {
    url: string
    tenant: DashboardUser
    options?: BrowserContextOptions
  },
): Promise<DashboardPage> => {
  const page = options
    ? await newPage(browser, { ...CONTEXT, ...options })
    : await reusablePage(browser, CONTEXT)
  const context = page.context()
  context.setDefaultTimeout(STEP_TIMEOUT_MS)
  const problems: string[] = []
  page.on('pageerror', ({ message }) => problems.push(message))
  page.on('console', (message) => {
    const isReply = message.text().startsWith('Failed to load resource')
    if (message.type() === 'error' && !isReply) problems.push(message.text())
  })
  const cookie = await cookieOf(tenant)
  if (cookie !== null) await context.addCookies([{ ...cookie, url: new URL(url).origin }])
  await page.goto(url)
  if (cookie === null) await logIn(page, tenant)
  return { page, problems }
}

/** Cookie of the session, or null for an account without a session or with one that has ended. */
const cookieOf = async ({ session }: DashboardUser) => {
  if (session === undefined || (await session.request(authOperations.me)).status !== 200)
    return null
  const [name = '', value = ''] = (session.headers.cookie ?? '').split('=')
  return { name, value }
}

export const logIn = async (page: Page, { email }: Pick<LoginAccount, 'email'>): Promise<void> => {
  await page.locator('#email').fill(email)
  await page.locator('#password').fill(PASSWORD)
  await page.keyboard.press('Enter')
}

/** Shows another organization of the user, which loads the dashboard again. */
export const switchOrganization = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('button', { name: 'Account and settings' }).click()
  const loaded = page.waitForEvent('load')
  await page.getByRole('menuitemradio', { name }).click()
  await loaded
  await page.getByRole('heading', { name: 'Overview' }).waitFor()
}

/** Pauses requests that change resources; the returned function sends them and returns their number. */
export const pauseChanges = async (
  page: Page,
  method = 'PATCH',
): Promise<() => Promise<number>> => {
  const { promise: released, resolve: release } = Promise.withResolvers<void>()
  let paused = 0
  await page.route('**/api/v1/**', async (route) => {
    if (route.request().method() === method) {
      paused += 1
      await released
    }
    await route.continue()
  })
  return async () => {
    const count = paused
    release()
    await page.unrouteAll({ behavior: 'wait' })
    return count
  }
}

/** Chooses an option of a combobox by typing and by the keyboard. */
export const chooseByTyping = async (box: Locator, text: string): Promise<void> => {
  const page = box.page()
  const focused = page.locator('[role=option][data-focused]', { hasText: text })
  const element = await box.elementHandle()
  const isChosen = async () =>
    // A box of which each choice adds a row is replaced by an empty one.
    !(await element?.evaluate(({ isConnected }) => isConnected)) ||
    (await box.inputValue()).includes(text)
  await box.fill(text)
  await eventually(
    async () => {
      const isEnter = await focused.isVisible()
      await box.press(isEnter ? 'Enter' : 'ArrowDown')
      await nextFrame(page)
      if (!isEnter || (await isChosen())) return isEnter
      // The list had filtered late and taken the focus from its option.
      await box.fill(text)
      return false
    },
    { timeoutMs: 30_000 },
  )
}

/** Checks the present screen in light and dark mode, and its width and controls on a phone. */
export const checkScreen = async (t: Test, { page, problems }: DashboardPage): Promise<void> => {
  const checks = { dark: colourViolationsOn, light: violationsOn }
  for (const colorScheme of ['dark', 'light'] as const) {
    await page.emulateMedia({ colorScheme })
    await nextFrame(page)
    t.same(await checks[colorScheme](page), [], `${page.url()} in ${colorScheme} mode`)
  }
  await page.setViewportSize(PHONE)
  await nextFrame(page)
  t.ok((await overflowOf(page)) <= 0, `${page.url()} fits a phone`)
  t.same(await targetViolationsOn(page), [], `${page.url()} on a phone`)
  await page.setViewportSize(DESKTOP)
  t.same(problems, [], 'the console is empty')
}

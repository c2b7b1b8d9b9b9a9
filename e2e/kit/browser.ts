/** A real browser, if one is installed. */
import { launchBrowser } from '@status-page/infra/chromium'
import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import tap, { type Test } from 'tap'

/** Value for `skip` of a test that requires a browser. */
export { browserSkipReason } from '@status-page/infra/chromium'

/**
 * Baseline compiler only: pages of a test live for seconds, in which optimized code does not pay. The
 * renderers of three files take 16.9 s of processor time, and 18.0 s in V8's efficiency mode (means
 * of three and two).
 */
const BASELINE_ONLY = '--js-flags=--max-opt=1'

/** Browser that the tests of this process share, one after the other. */
let shared: Browser | undefined
tap.teardown(() => shared?.close())

/**
 * Page of the shared browser that tests use one after the other, because its process has compiled
 * the dashboard and axe: two screens with their checks take 2.1 instead of 2.7 s of processor time
 * (medians of four, in turns).
 */
let reusable: { page: Page; isUsed: boolean } | undefined

/** Path of an empty document, for which the page stays in its process; no server has it. */
const EMPTY = '/empty-document'

/**
 * Returns a browser, whose pages close with the test. One that resolves `hosts` to this machine is
 * not shared.
 */
export const openBrowser = async (t: Test, hosts: readonly string[] = []): Promise<Browser> => {
  if (hosts.length > 0) return openUnshared(t, hosts)
  if (!shared?.isConnected()) shared = await launchBrowser([BASELINE_ONLY])
  const browser = shared
  t.teardown(async () => {
    if (reusable?.isUsed === true) await release(reusable.page)
    const others = browser.contexts().filter((context) => context !== reusable?.page.context())
    await Promise.all(others.map((context) => context.close()))
  })
  return browser
}

/** Returns the page that tests reuse; while the test uses it for another user, a new one. */
export const reusablePage = async (
  browser: Browser,
  options: BrowserContextOptions,
): Promise<Page> => {
  if (browser !== shared || reusable?.isUsed === true) return newPage(browser, options)
  reusable ??= { page: await newPage(browser, options), isUsed: false }
  reusable.isUsed = true
  return reusable.page
}

export const newPage = async (browser: Browser, options: BrowserContextOptions): Promise<Page> =>
  (await browser.newContext(options)).newPage()

/** Leaves nothing of the test but the caches; closes a page that cannot be reused. */
const release = async (page: Page): Promise<void> => {
  reusable = undefined
  const context = page.context()
  try {
    const others = context.pages().filter((other) => other !== page)
    await Promise.all(others.map((other) => other.close()))
    await page.unrouteAll({ behavior: 'ignoreErrors' })
    await page.route(`**${EMPTY}`, (route) => route.fulfill({ contentType: 'text/html', body: '' }))
    await page.goto(new URL(EMPTY, page.url()).href)
    await page.evaluate('localStorage.clear(); sessionStorage.clear()')
    await page.unroute(`**${EMPTY}`)
    await context.clearCookies()
    reusable = { page, isUsed: false }
  } catch {
    // The test has closed the page, or another navigation has interrupted this one.
    await context.close()
  }
}

const openUnshared = async (t: Test, hosts: readonly string[]): Promise<Browser> => {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')
  const browser = await launchBrowser([BASELINE_ONLY, `--host-resolver-rules=${rules}`])
  t.teardown(() => browser.close())
  return browser
}

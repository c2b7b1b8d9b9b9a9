/** A real browser, if one is installed. */
import { launchBrowser } from '@status-page/infra/chromium'
import type { Browser } from 'playwright-core'
import tap, { type Test } from 'tap'

/** Value for `skip` of a test that requires a browser. */
export { browserSkipReason } from '@status-page/infra/chromium'

/**
 * V8 optimizes only functions that are called very often: pages of a test live for seconds. Five
 * screens take 6.3 instead of 6.7 s of processor time (medians of three, in turns).
 */
const EFFICIENCY = '--js-flags=--efficiency-mode'

/** Browser that the tests of this process share, one after the other. */
let shared: Browser | undefined
tap.teardown(() => shared?.close())

/**
 * Returns a browser, whose pages close with the test. One that resolves `hosts` to this machine is
 * not shared.
 */
export const openBrowser = async (t: Test, hosts: readonly string[] = []): Promise<Browser> => {
  if (hosts.length > 0) return openOwn(t, hosts)
  if (!shared?.isConnected()) shared = await launchBrowser([EFFICIENCY])
  const browser = shared
  t.teardown(() => Promise.all(browser.contexts().map((context) => context.close())))
  return browser
}

const openOwn = async (t: Test, hosts: readonly string[]): Promise<Browser> => {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')
  const browser = await launchBrowser([EFFICIENCY, `--host-resolver-rules=${rules}`])
  t.teardown(() => browser.close())
  return browser
}

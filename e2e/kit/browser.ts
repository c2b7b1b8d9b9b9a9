/** A real browser, if one is installed. */
import { launchBrowser } from '@status-page/infra/chromium'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'

/** Value for `skip` of a test that requires a browser. */
export { browserSkipReason } from '@status-page/infra/chromium'

/** Opens a browser that resolves `hosts` to this machine. */
export const openBrowser = async (t: Test, hosts: readonly string[] = []): Promise<Browser> => {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')
  const browser = await launchBrowser(rules === '' ? [] : [`--host-resolver-rules=${rules}`])
  t.teardown(() => browser.close())
  return browser
}

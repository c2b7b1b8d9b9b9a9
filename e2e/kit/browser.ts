/** A real browser, where the machine has one. */
import { launchBrowser } from '@status-page/infra/chromium'
import type { Browser } from 'playwright-core'
import type { Test } from 'tap'

/** For `skip` of a test that needs one. */
export { noBrowser } from '@status-page/infra/chromium'

/** Names that the browser finds on this machine, whatever DNS says. */
export const openBrowser = async (t: Test, hosts: readonly string[] = []): Promise<Browser> => {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')
  const browser = await launchBrowser(rules === '' ? [] : [`--host-resolver-rules=${rules}`])
  t.teardown(() => browser.close())
  return browser
}

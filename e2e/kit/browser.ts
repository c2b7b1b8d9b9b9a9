/** A real browser, where the machine has one. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'
import type { Test } from 'tap'

const names = ['chromium', 'chromium-browser', 'google-chrome']

const path =
  process.env.CHROMIUM_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file))

/** For `skip` of a test that needs one. */
export const noBrowser = path === undefined ? 'no chromium on this machine (CHROMIUM_PATH)' : false

/** Names that the browser finds on this machine, whatever DNS says. */
export const openBrowser = async (t: Test, hosts: readonly string[] = []): Promise<Browser> => {
  const rules = hosts.map((host) => `MAP ${host} 127.0.0.1`).join(', ')
  const browser = await chromium.launch({
    executablePath: path ?? '',
    args: [
      // Root has no sandbox of its own; the page is ours.
      ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
      ...(rules === '' ? [] : [`--host-resolver-rules=${rules}`]),
    ],
  })
  t.teardown(() => browser.close())
  return browser
}

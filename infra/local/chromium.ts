/** The browser of this machine, where it has one. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

const names = ['chromium', 'chromium-browser', 'google-chrome']

const path =
  process.env.CHROMIUM_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file))

/** Why there is none, or false; `skip` of a test takes it as it is. */
export const noBrowser = path === undefined ? 'no chromium on this machine (CHROMIUM_PATH)' : false

export const launchBrowser = async (args: readonly string[] = []): Promise<Browser> => {
  if (noBrowser !== false) throw new Error(noBrowser)
  return chromium.launch({
    executablePath: path ?? '',
    // Root has no sandbox of its own; the pages are ours.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...args],
  })
}

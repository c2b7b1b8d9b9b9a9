/** The installed Chromium of this machine, if any. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { type Browser, chromium } from 'playwright-core'

/** The headless shell first: it starts with half the processor time of the whole browser. */
const names = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome']

const path =
  process.env.CHROMIUM_PATH ??
  (process.env.PATH ?? '')
    .split(delimiter)
    .flatMap((folder) => names.map((name) => join(folder, name)))
    .find((file) => existsSync(file))

/** Reason why no browser is available, or false; usable as `skip` of a test. */
export const browserSkipReason =
  path === undefined ? 'no chromium on this machine (CHROMIUM_PATH)' : false

export const launchBrowser = async (args: readonly string[] = []): Promise<Browser> => {
  if (browserSkipReason !== false) throw new Error(browserSkipReason)
  return chromium.launch({
    executablePath: path ?? '',
    // Chromium has no sandbox for root; the tests load only pages of this product.
    args: [...(process.getuid?.() === 0 ? ['--no-sandbox'] : []), ...args],
  })
}

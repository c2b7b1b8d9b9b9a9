/** Screenshots of pages; each file stays small enough for the repository. */
import { mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'

const MAX_BYTES = 250_000

export interface Screenshot {
  name: string
  width: number
  /** Height in CSS pixels; the rest is cut off. */
  height: number
  /** Picture pixels per CSS pixel. */
  scale?: number
  colours?: 'light' | 'dark'
  /** A URL, with the session cookie of a user where it needs one. */
  page: { url: string; cookie?: string }
  /** Runs before the screenshot. */
  prepare?: (page: Page) => Promise<void>
}

export const createCamera = (browser: Browser, folder: string) => {
  mkdirSync(folder, { recursive: true })
  return async ({
    name,
    width,
    height,
    scale = 1,
    colours = 'light',
    page: address,
    prepare,
  }: Screenshot) => {
    const context = await browser.newContext({
      viewport: { width, height },
      deviceScaleFactor: scale,
      colorScheme: colours,
      timezoneId: 'UTC',
      locale: 'en-GB',
      reducedMotion: 'reduce',
    })
    if (address.cookie !== undefined) {
      const [name = '', value = ''] = address.cookie.split('=')
      await context.addCookies([{ name, value, url: new URL(address.url).origin }])
    }
    const page = await context.newPage()
    await page.goto(address.url, { waitUntil: 'load' })
    await prepare?.(page)
    const path = join(folder, name)
    await page.screenshot({ path, animations: 'disabled' })
    await context.close()
    const { size } = statSync(path)
    if (size > MAX_BYTES) throw new Error(`${name} has ${size} bytes; crop it`)
    console.log(`${name}: ${width}x${height}, ${Math.ceil(size / 1_000)} kB`)
  }
}

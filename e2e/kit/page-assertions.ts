/** What a browser says of a page: what axe finds, what does not fit, what the keyboard reaches. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { noBrowser } from './browser.ts'

const axe = noBrowser
  ? ''
  : readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const rules = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/** The policy of a page admits no script but its own; the browser's tools stand above it. */
export const violationsOn = async (page: Page): Promise<string[]> => {
  await page.evaluate(axe)
  const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(RUN_AXE)
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

/** Pixels by which it is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')

export interface StopCondition {
  what: string
  /** Marked as the one that keys go to, and in the window. */
  isSeen: boolean
}

/** What the keyboard should stop at, in order; of a group of radio buttons the one that is chosen. */
export const focusStopsOn = (page: Page): Promise<string[]> => page.evaluate(STOPS)

/** Opens all that can be opened, without going there. */
export const openDetails = (page: Page): Promise<void> =>
  page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)

/** What it stops at on a page that was just loaded, to where it leaves the page. */
export const walkFocusStops = async (page: Page, limit: number): Promise<StopCondition[]> => {
  const stops: StopCondition[] = []
  while (stops.length < limit) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<StopCondition | null>(FOCUSED)
    if (stop === null) return stops
    stops.push(stop)
  }
  return stops
}

/** Texts, because they are for the browser and not for this program. */
const RUN_AXE = `axe.run(document, { runOnly: [${rules.map((rule) => `'${rule}'`)}] })
  .then(({ violations }) => violations)`

const NAME = `const nameOf = (e) => [e.tagName.toLowerCase(), e.id || e.getAttribute('href') || e.name || '',
  (e.textContent || e.value || '').trim().slice(0, 40)].join(' ')`

const STOPS = `(() => {
  ${NAME}
  const all = document.querySelectorAll('a[href], button, summary, input, select, textarea')
  return [...all].filter((e) => e.checkVisibility() && e.type !== 'hidden' && !e.disabled &&
    (e.type !== 'radio' || e.checked)).map(nameOf)
})()`

/** When the window has gone there. */
const FOCUSED = `new Promise((resolve) => {
  ${NAME}
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const e = document.activeElement
    if (e === null || e === document.body) return resolve(null)
    const { outlineStyle, outlineWidth } = getComputedStyle(e)
    const { top, bottom } = e.getBoundingClientRect()
    const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
    const isInWindow = top > -1 && bottom < innerHeight + 1
    resolve({ what: nameOf(e), isSeen: isMarked && isInWindow })
  }))
})`

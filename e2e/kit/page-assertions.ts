/** Checks of a page in a browser: axe violations, overflow and keyboard focus. */
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Page } from 'playwright-core'
import { browserSkipReason } from './browser.ts'

const axe = browserSkipReason
  ? ''
  : readFileSync(fileURLToPath(import.meta.resolve('axe-core/axe.min.js')), 'utf8')

const tags = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Violations that axe finds. The content security policy of the page blocks other scripts, except
 * those of the browser's tools.
 */
export const violationsOn = (page: Page): Promise<string[]> => run(page, { tags })

/** Violations of the rules about colours: the only ones that another colour scheme can add. */
export const colourViolationsOn = (page: Page): Promise<string[]> =>
  run(page, { rules: ['color-contrast', 'link-in-text-block'] })

/** Controls that are too small, too close to each other, or covered. */
export const targetViolationsOn = (page: Page): Promise<string[]> =>
  run(page, { rules: ['target-size'] })

/**
 * Leaves out what `run` does not read: selectors and elements that pass take half of the processor
 * time of a first run. `preload` serves rules that are not among the tags.
 */
const REPORT = { resultTypes: ['violations'], selectors: false, preload: false }

/** React Aria announces buttons by their ids for seconds, also after their removal. */
const CONTEXT = { exclude: ['[data-live-announcer]'] }

const run = async (
  page: Page,
  { tags, rules }: { tags?: readonly string[]; rules?: readonly string[] },
): Promise<string[]> => {
  const runOnly = { type: tags === undefined ? 'rule' : 'tag', values: tags ?? rules }
  const input = [CONTEXT, { runOnly, ...REPORT }].map((one) => JSON.stringify(one)).join()
  if (await page.evaluate<boolean>("typeof axe === 'undefined'")) await page.evaluate(axe)
  const violations = await page.evaluate<{ id: string; nodes: { html: string }[] }[]>(
    `axe.run(${input}).then(({ violations }) => violations)`,
  )
  return violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`)
}

/** Pixels by which the page is wider than the window. */
export const overflowOf = (page: Page): Promise<number> =>
  page.evaluate('document.documentElement.scrollWidth - innerWidth')

export interface FocusStop {
  name: string
  /** True when the focus is visible and inside the window. */
  isSeen: boolean
}

/** Expected focus stops in order; a group of radio buttons has one stop, the checked one. */
export const focusStopsOn = (page: Page): Promise<string[]> => page.evaluate(STOPS)

/** Opens all `details` elements without moving the focus. */
export const openDetails = (page: Page): Promise<void> =>
  page.evaluate(`document.querySelectorAll('details').forEach((one) => { one.open = true })`)

/** Focus stops of a freshly loaded page, up to the point where the focus leaves the page. */
export const walkFocusStops = async (page: Page, limit: number): Promise<FocusStop[]> => {
  const stops: FocusStop[] = []
  while (stops.length < limit) {
    await page.keyboard.press('Tab')
    const stop = await page.evaluate<FocusStop | null>(FOCUSED)
    if (stop === null) return stops
    stops.push(stop)
  }
  return stops
}

/** Scripts as text, because they run in the browser and not in this process. */
const NAME = `const nameOf = (e) => [e.tagName.toLowerCase(), e.id || e.getAttribute('href') || e.name || '',
  (e.textContent || e.value || '').trim().slice(0, 40)].join(' ')`

const STOPS = `(() => {
  ${NAME}
  const all = document.querySelectorAll('a[href], button, summary, input, select, textarea')
  return [...all].filter((e) => e.checkVisibility() && e.type !== 'hidden' && !e.disabled &&
    (e.type !== 'radio' || e.checked)).map(nameOf)
})()`

/** Resolves after the window has scrolled to the focused element. */
const FOCUSED = `new Promise((resolve) => {
  ${NAME}
  requestAnimationFrame(() => requestAnimationFrame(() => {
    const e = document.activeElement
    if (e === null || e === document.body) return resolve(null)
    const { outlineStyle, outlineWidth } = getComputedStyle(e)
    const { top, bottom } = e.getBoundingClientRect()
    const isMarked = outlineStyle !== 'none' && parseFloat(outlineWidth) >= 2
    const isInWindow = top > -1 && bottom < innerHeight + 1
    resolve({ name: nameOf(e), isSeen: isMarked && isInWindow })
  }))
})`

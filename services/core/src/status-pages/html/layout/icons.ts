/** Icons, each defined once per page and referenced by name. Each status has its own shape. */
import type { ComponentStatus } from '@status-page/contracts'
import { html, type Markup, trustedMarkup } from '@status-page/html'

type Icon = ComponentStatus | 'no_data'

/** Stroke paths in a 24 × 24 box. */
export const iconPaths: Record<Icon, string> = {
  operational: '<path d="M5 12.5l4.5 4.5L19 7.5"/>',
  degraded_performance: '<path d="M5 12h14"/>',
  partial_outage: '<path d="M12 5v8.5M12 18.5v.01"/>',
  major_outage: '<path d="M6.5 6.5l11 11M17.5 6.5l-11 11"/>',
  under_maintenance: '<path d="M12 6v6.5l4 2.5"/>',
  no_data: '<path d="M7 12v.01M12 12v.01M17 12v.01"/>',
}

/** CSS class of each status; short, because a page repeats them a hundred times. */
export const statusClasses: Record<Icon, string> = {
  operational: 'ok',
  degraded_performance: 'slow',
  partial_outage: 'part',
  major_outage: 'down',
  under_maintenance: 'work',
  no_data: 'none',
}

const icons = Object.keys(iconPaths) as Icon[]

export const iconSprite: Markup = trustedMarkup(
  `<svg width="0" height="0" hidden>${icons
    .map(
      (name) =>
        `<symbol id="${statusClasses[name]}" viewBox="0 0 24 24">${iconPaths[name]}</symbol>`,
    )
    .join('')}</svg>`,
)

/** Decorative icon; the adjacent text states the status. */
export const inlineIcon = (name: Icon): Markup =>
  html`<svg class="i ${statusClasses[name]}" aria-hidden="true"><use href="#${statusClasses[name]}"/></svg>`

/** Status icon as a favicon: the shape on a disc in the colour of the status. */
export const favicon = (name: Icon, colour: string): string =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><circle cx="16" cy="16" r="15" fill="${colour}"/>` +
  `<g transform="translate(4 4)" fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">${iconPaths[name]}</g></svg>`

/** The first thing that a visitor reads: how it is, in one sentence. */
import type { ComponentStatus, Indicator, PublicStatus } from '@status-page/contracts'
import { filled, html, type Markup } from './html.ts'
import { icon, marks } from './icons.ts'
import type { PageLanguage } from './language.ts'

export const worstOf: Record<Indicator, ComponentStatus> = {
  none: 'operational',
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
  maintenance: 'under_maintenance',
}

export const banner = (
  { status, page }: Pick<PublicStatus, 'status' | 'page'>,
  { say, time }: PageLanguage,
): Markup => {
  const worst = worstOf[status.indicator]
  return html`<div class="banner ${marks[worst]}">${icon(worst)}
<div><h2>${say.overall[status.indicator]}</h2>
<p class="sm q">${filled(say.asOf, time(page.updatedAt))}</p></div></div>`
}

/** Banner of a page: its current status in one sentence. */
import type { ComponentStatus, Indicator, PublicStatus } from '@status-page/contracts'
import { fillPlaceholders, html, type Markup } from '@status-page/html'
import type { PageLanguage } from '../../page-language.ts'
import { inlineIcon, statusClasses } from './icons.ts'

export const statusByIndicator: Record<Indicator, ComponentStatus> = {
  none: 'operational',
  minor: 'degraded_performance',
  major: 'partial_outage',
  critical: 'major_outage',
  maintenance: 'under_maintenance',
}

export const statusBanner = (
  { status, page }: Pick<PublicStatus, 'status' | 'page'>,
  { texts, time }: PageLanguage,
): Markup => {
  const current = statusByIndicator[status.indicator]
  return html`<div class="banner ${statusClasses[current]}">${inlineIcon(current)}
<div><h2>${texts.overall[status.indicator]}</h2>
<p class="sm q">${fillPlaceholders(texts.asOf, time(page.updatedAt))}</p></div></div>`
}

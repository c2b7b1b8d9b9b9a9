/** Uptime document: a month of each component as daily bars, and its days with incidents. */
import { html, type Markup, renderEach } from '@status-page/html'
import type { PageLanguage } from '../../page-language.ts'
import type { PageFrame } from '../layout/frame.ts'
import { inlineIcon } from '../layout/icons.ts'
import { defaultPreview, type HtmlDocument } from '../layout/layout.ts'
import { stateIcon } from '../layout/state-icon.ts'
import { dayAnchor, dayState, hasIncident, statusLegend, uptimeBars } from './bars.ts'
import { monthLinks } from './history.ts'
import { pastIncidentEntry } from './incidents.ts'
import type { ComponentMonth, UptimeMonth } from './uptime-queries.ts'

const LIVE_SECONDS = 60

export const uptimeDocument = (frame: PageFrame, month: UptimeMonth): HtmlDocument => {
  const { page, language } = frame
  const title = language.labelled(language.texts.uptimeTitle, language.month(month.month))
  return {
    title: `${title} – ${page.name}`,
    description: title,
    part: month.later === null ? '/uptime' : `/uptime?month=${month.month}`,
    icon: stateIcon(page, 'none'),
    previewImage: defaultPreview(frame, month.month),
    liveSeconds: month.later === null ? LIVE_SECONDS : null,
    isIndexed: true,
    content: html`<h2 class="first">${title}</h2>
<div class="card grp month"><ul>${renderEach(month.components, (component) => componentRow(component, language))}</ul></div>
${statusLegend(month.days.length, language)}
${daysOf(frame, month)}${monthLinks(frame, month, '/uptime')}`,
  }
}

const componentRow = (
  { id, name, uptimePercentage, since, days }: ComponentMonth,
  language: PageLanguage,
): Markup => {
  const bars = { componentId: id, days, uptimePercentage, since }
  return html`<li class="c"><strong><bdi>${name}</bdi></strong>
${uptimeBars(bars, language, (date) => `#${dayAnchor(date)}`)}</li>
`
}

/** Days with incidents, or on which a component was not operational. */
const daysOf = (frame: PageFrame, { components, days }: UptimeMonth): Markup => {
  const { language } = frame
  const entries = days.flatMap(({ date, incidents }) => {
    const affected = components.flatMap(({ name, days: ofComponent }, position) =>
      ofComponent
        .filter((day) => day.date === date && hasIncident(day))
        .map((day) => ({ position, name, day })),
    )
    return incidents.length + affected.length === 0 ? [] : [{ date, incidents, affected }]
  })
  if (entries.length === 0) return html`<p class="card calm">${language.texts.noDowntime}</p>`
  return html`${renderEach(
    entries,
    ({ date, incidents, affected }) =>
      html`<section class="day" id="${dayAnchor(date)}"><h3>${language.day(date)}</h3>
<ul>${affected.map(({ position, name, day }) => html`<li class="sm" data-components="${position}">${inlineIcon(day.status)} <bdi>${name}</bdi>: ${dayState(day, language)}</li>`)}</ul>
${renderEach(incidents, ({ incident, positions }) => pastIncidentEntry(incident, frame, positions))}</section>
`,
  )}`
}

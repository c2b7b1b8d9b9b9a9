/** Documents of the past: a month, one incident with its postmortem, one maintenance. */
import type { PublicIncident, PublicMaintenance } from '@status-page/contracts'
import { each, html, linkUrls, type Markup, type Piece } from './html.ts'
import {
  incidentCard,
  incidentPart,
  maintenanceCard,
  maintenancePart,
  pastIncident,
  pastMaintenance,
} from './incidents.ts'
import type { PageLanguage } from './language.ts'
import { defaultPreview, type Frame, type HtmlDocument } from './layout.ts'
import type { Month } from './queries.ts'
import { stateIcon } from './state-icon.ts'

const LIVE_SECONDS = 30

export const historyDocument = (frame: Frame, month: Month): HtmlDocument => {
  const { page, language } = frame
  const { say } = language
  const title = `${say.history}: ${language.month(month.month)}`
  return {
    title: `${title} – ${page.name}`,
    description: title,
    part: month.later === null ? '/history' : `/history?month=${month.month}`,
    icon: stateIcon(page, 'none'),
    picture: defaultPreview(frame, month.month),
    liveSeconds: month.later === null ? LIVE_SECONDS * 2 : null,
    isIndexed: true,
    content: html`<h2 class="first">${title}</h2>${daysOf(frame, month)}${monthLinks(frame, month)}`,
  }
}

const daysOf = ({ place, language }: Frame, { incidents, maintenances }: Month): Piece => {
  const context = { place, language }
  const entries = [
    ...incidents.map((one) => ({ at: one.startedAt, draw: () => pastIncident(one, context) })),
    ...maintenances.map((one) => ({
      at: one.scheduledFor,
      draw: () => pastMaintenance(one, context),
    })),
  ].toSorted((left, right) => (left.at < right.at ? 1 : -1))
  if (entries.length === 0) return html`<p class="card calm">${language.say.nothingThen}</p>`
  const days = Map.groupBy(entries, ({ at }) => language.dateOf(at))
  return each(
    [...days],
    ([date, entriesOfDay]) =>
      html`<section class="day"><h3>${language.day(date)}</h3>${each(entriesOfDay, ({ draw }) => draw())}</section>
`,
  )
}

const monthLinks = ({ place, language }: Frame, { earlier, later }: Month): Markup => {
  const link = (month: string | null, text: string, rel: string) =>
    month === null
      ? html`<span></span>`
      : html`<a class="b plain" rel="${rel}" href="${place.path(`/history?month=${month}`)}">${text}: ${language.month(month)}</a>`
  const { say } = language
  return html`<p class="more">${link(earlier, say.earlier, 'prev')}${link(later, say.later, 'next')}</p>`
}

export const incidentDocument = (frame: Frame, incident: PublicIncident): HtmlDocument => {
  const { page, place, language } = frame
  const { title, message, status } = incident
  return {
    title: `${title} – ${page.name}`,
    description: `${language.say.incidents[status]}. ${message}`,
    part: incidentPart(incident),
    icon: stateIcon(page, status === 'resolved' ? 'none' : incident.impact),
    picture: defaultPreview(frame, `${incident.id} ${incident.updatedAt}`),
    liveSeconds: status === 'resolved' ? LIVE_SECONDS * 2 : LIVE_SECONDS,
    isIndexed: true,
    content: html`<h2 class="first">${title}</h2>
${incidentCard(incident, { place, language }, 'alone')}${postmortem(incident, language)}`,
  }
}

const postmortem = ({ postmortem: one }: PublicIncident, language: PageLanguage): Markup | null => {
  if (one === null) return null
  const { say, time } = language
  const text = (title: string, content: string | null) =>
    content && html`<h3>${title}</h3><p class="post">${linkUrls(content)}</p>`
  const line = ({ at, text: said }: { at: string; text: string }) =>
    html`<li>${time(at)}<span>${linkUrls(said)}</span></li>`
  return html`<section aria-labelledby="postmortem"><h2 id="postmortem">${say.postmortem}</h2>
<div class="card pm">${text(say.summary, one.summary)}${text(say.rootCause, one.rootCause)}${text(say.impact, one.impact)}${text(say.resolution, one.resolution)}
${one.timeline.length > 0 && html`<h3>${say.timeline}</h3><ol>${each(one.timeline, line)}</ol>`}
<p class="sm">${time(one.publishedAt)}</p></div></section>`
}

export const maintenanceDocument = (frame: Frame, maintenance: PublicMaintenance): HtmlDocument => {
  const { page, place, language } = frame
  const { title, message, status } = maintenance
  const isOver = status === 'completed' || status === 'cancelled'
  return {
    title: `${title} – ${page.name}`,
    description: `${language.say.maintenances[status]}. ${message}`,
    part: maintenancePart(maintenance),
    icon: stateIcon(page, isOver ? 'none' : 'maintenance'),
    picture: defaultPreview(frame, `${maintenance.id} ${maintenance.updatedAt}`),
    liveSeconds: isOver ? LIVE_SECONDS * 2 : LIVE_SECONDS,
    isIndexed: true,
    content: html`<h2 class="first">${title}</h2>
${maintenanceCard(maintenance, { place, language }, 'alone')}`,
  }
}

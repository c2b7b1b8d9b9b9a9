/** History documents: a month, one incident with its postmortem, one maintenance. */
import type { PublicIncident, PublicMaintenance } from '@status-page/contracts'
import {
  html,
  linkUrls,
  type Markup,
  type MarkupValue,
  messageMarkup,
  renderEach,
} from '@status-page/html'
import { messagePlainText } from '@status-page/markdown'
import type { PageLanguage } from '../../page-language.ts'
import type { PageFrame } from '../layout/frame.ts'
import { defaultPreview, type HtmlDocument } from '../layout/layout.ts'
import { stateIcon } from '../layout/state-icon.ts'
import {
  incidentPath,
  maintenancePath,
  openIncidentCard,
  openMaintenanceCard,
  pastIncidentEntry,
  pastMaintenanceEntry,
} from './incidents.ts'
import type { HistoryMonth } from './queries.ts'

const LIVE_SECONDS = 30

export const historyDocument = (frame: PageFrame, month: HistoryMonth): HtmlDocument => {
  const { page, language } = frame
  const { texts } = language
  const title = language.labelled(texts.history, language.month(month.month))
  return {
    title: `${title} – ${page.name}`,
    description: title,
    part: month.later === null ? '/history' : `/history?month=${month.month}`,
    icon: stateIcon(page, 'none'),
    previewImage: defaultPreview(frame, month.month),
    liveSeconds: month.later === null ? LIVE_SECONDS * 2 : null,
    isIndexed: true,
    content: html`<h2 class="first">${title}</h2>${daysOf(frame, month)}${monthLinks(frame, month, '/history')}`,
  }
}

const daysOf = (
  { urls, language }: PageFrame,
  { incidents, maintenances }: HistoryMonth,
): MarkupValue => {
  const context = { urls, language }
  const entries = [
    ...incidents.map((incident) => ({
      at: incident.startedAt,
      draw: () => pastIncidentEntry(incident, context),
    })),
    ...maintenances.map((maintenance) => ({
      at: maintenance.scheduledFor,
      draw: () => pastMaintenanceEntry(maintenance, context),
    })),
  ].toSorted((left, right) => (left.at < right.at ? 1 : -1))
  if (entries.length === 0)
    return html`<p class="card calm">${language.texts.noIncidentsInMonth}</p>`
  const days = Map.groupBy(entries, ({ at }) => language.dateOf(at))
  return renderEach(
    [...days],
    ([date, entriesOfDay]) =>
      html`<section class="day"><h3>${language.day(date)}</h3>${renderEach(entriesOfDay, ({ draw }) => draw())}</section>
`,
  )
}

/** Links to the months before and after on the same part of the page. */
export const monthLinks = (
  { urls, language }: PageFrame,
  { earlier, later }: Pick<HistoryMonth, 'earlier' | 'later'>,
  part: '/history' | '/uptime',
): Markup => {
  const link = (month: string | null, text: string, rel: string) =>
    month === null
      ? html`<span></span>`
      : html`<a class="b plain" rel="${rel}" href="${urls.path(`${part}?month=${month}`)}">${language.labelled(text, language.month(month))}</a>`
  const { texts } = language
  return html`<p class="more">${link(earlier, texts.earlier, 'prev')}${link(later, texts.later, 'next')}</p>`
}

export const incidentDocument = (frame: PageFrame, incident: PublicIncident): HtmlDocument => {
  const { page, language } = frame
  const { title, message, status } = incident
  return {
    title: `${title} – ${page.name}`,
    description: language.labelled(language.texts.incidents[status], messagePlainText(message)),
    part: incidentPath(incident),
    icon: stateIcon(page, status === 'resolved' ? 'none' : incident.impact),
    previewImage: defaultPreview(frame, `${incident.id} ${incident.updatedAt}`),
    liveSeconds: status === 'resolved' ? LIVE_SECONDS * 2 : LIVE_SECONDS,
    isIndexed: true,
    content: html`<h2 class="first">${title}</h2>
${openIncidentCard(incident, frame, 'alone')}${postmortem(incident, language)}`,
  }
}

const postmortem = ({ postmortem }: PublicIncident, language: PageLanguage): Markup | null => {
  if (postmortem === null) return null
  const { texts, time } = language
  const text = (title: string, content: string | null) =>
    content && html`<h3>${title}</h3>${messageMarkup(content)}`
  const line = ({ at, text: message }: { at: string; text: string }) =>
    html`<li>${time(at)}<bdi>${linkUrls(message)}</bdi></li>`
  return html`<section aria-labelledby="postmortem"><h2 id="postmortem">${texts.postmortem}</h2>
<div class="card pm">${text(texts.summary, postmortem.summary)}${text(texts.rootCause, postmortem.rootCause)}${text(texts.impact, postmortem.impact)}${text(texts.resolution, postmortem.resolution)}
${postmortem.timeline.length > 0 && html`<h3>${texts.timeline}</h3><ol>${renderEach(postmortem.timeline, line)}</ol>`}
<p class="sm">${time(postmortem.publishedAt)}</p></div></section>`
}

export const maintenanceDocument = (
  frame: PageFrame,
  maintenance: PublicMaintenance,
): HtmlDocument => {
  const { page, urls, language } = frame
  const { title, message, status } = maintenance
  const isOver = status === 'completed' || status === 'cancelled'
  return {
    title: `${title} – ${page.name}`,
    description: language.labelled(language.texts.maintenances[status], messagePlainText(message)),
    part: maintenancePath(maintenance),
    icon: stateIcon(page, isOver ? 'none' : 'maintenance'),
    previewImage: defaultPreview(frame, `${maintenance.id} ${maintenance.updatedAt}`),
    liveSeconds: isOver ? LIVE_SECONDS * 2 : LIVE_SECONDS,
    isIndexed: true,
    content: html`<h2 class="first">${title}</h2>
${openMaintenanceCard(maintenance, { urls, language }, 'alone')}`,
  }
}

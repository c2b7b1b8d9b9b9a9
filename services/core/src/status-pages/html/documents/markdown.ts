/** Markdown of the pages, for requests with `Accept: text/markdown`. */
import type {
  Cooperative,
  PublicComponent,
  PublicIncident,
  PublicMaintenance,
  PublicMetric,
} from '@status-page/contracts'
import { fillText } from '@status-page/html'
import { messageCommonMark } from '@status-page/markdown'
import { joinCooperatively } from '@status-page/service'
import type { PageLanguage } from '../../page-language.ts'
import type { PageFrame } from '../layout/frame.ts'
import { dayState, hasIncident } from './bars.ts'
import { incidentPath, maintenancePath } from './incidents.ts'
import { formatLastValue } from './metrics.ts'
import type { HistoryMonth, StatusPageData } from './queries.ts'
import type { UptimeMonth } from './uptime-queries.ts'

/** Escapes a tenant's text, so that it creates no headings, links or markup. */
const escapeMarkdown = (text: string): string =>
  text.replace(/[\\`*_[\]<>|]/g, '\\$&').replace(/^([#+-])/gm, '\\$1')

const blockquote = (message: string): string =>
  messageCommonMark(message)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

/** Rendered cooperatively: a page can have megabytes of updates. */
type MarkdownText = Cooperative<Buffer>

/** Paragraphs, headings and lists, separated by blank lines; empty ones are omitted. */
type Blocks = Iterable<string | null | false>

function* present(blocks: Blocks): Iterable<string> {
  for (const block of blocks) if (typeof block === 'string' && block !== '') yield block
}

const joinBlocks = (blocks: Blocks): MarkdownText => joinCooperatively(separated(blocks))

function* separated(blocks: Blocks): Iterable<string> {
  let separator = ''
  for (const block of present(blocks)) {
    yield `${separator}${block}`
    separator = '\n\n'
  }
  yield '\n'
}

const atTime = (iso: string): string => iso.replace('T', ' ').replace(/:\d\d\.\d+Z$/, ' UTC')

export const statusPageMarkdown = (frame: PageFrame, current: StatusPageData): MarkdownText =>
  joinBlocks(showBlocks(frame, current))

function* showBlocks(
  { page, urls, language }: PageFrame,
  { status, recent }: StatusPageData,
): Blocks {
  const { texts } = language
  const { active, upcoming } = status.maintenances
  const incidents = (list: readonly PublicIncident[]) =>
    list.values().flatMap((incident) => incidentBlocks(incident, '###', language))
  const maintenances = (list: readonly PublicMaintenance[]) =>
    list.values().flatMap((maintenance) => maintenanceBlocks(maintenance, '###', language))
  yield `# ${escapeMarkdown(page.name)}`
  yield page.description && escapeMarkdown(page.description)
  yield `**${texts.overall[status.status.indicator]}**`
  yield fillText(texts.asOf, atTime(status.page.updatedAt))
  yield* section(texts.ongoing, incidents(status.activeIncidents))
  yield* section(texts.ongoingMaintenance, maintenances(active))
  yield* section(texts.systems, [componentsText(status.components, language)])
  yield* section(texts.metrics, [metricsText(status.metrics, language)])
  yield* section(texts.planned, maintenances(upcoming))
  yield* section(texts.recent, incidents(recent))
  yield `[${texts.history}](${urls.url('/history')})`
}

/** Heading with its blocks; nothing without blocks. */
function* section(title: string, blocks: Blocks): Blocks {
  let isEmpty = true
  for (const block of present(blocks)) {
    if (isEmpty) yield `## ${title}`
    isEmpty = false
    yield block
  }
}

const metricsText = (metrics: readonly PublicMetric[], language: PageLanguage): string =>
  metrics
    .map((metric) => item(metric.name, escapeMarkdown(formatLastValue(metric, language)), language))
    .join('\n')

/** List item of a tenant's text with a value. */
const item = (name: string, value: string, { labelled }: PageLanguage): string =>
  `- ${labelled(escapeMarkdown(name), value)}`

const componentsText = (components: readonly PublicComponent[], language: PageLanguage): string => {
  const depths = new Map<string, number>()
  return components
    .map((component) => {
      const { id, name, status, parentComponentId, groupName } = component
      const depth = parentComponentId === null ? 0 : (depths.get(parentComponentId) ?? 0) + 1
      depths.set(id, depth)
      const fullName = groupName === null ? name : language.labelled(groupName, name)
      const statusText = language.texts.components[status]
      const share = uptimeText(component, language)
      const indent = '  '.repeat(depth)
      return [
        item(fullName, share === null ? statusText : `${statusText} (${share})`, language),
        causeText(component, language),
        vendorText(component, language),
      ]
        .filter((line) => line !== null)
        .map((line, index) => `${indent}${index > 0 ? '  ' : ''}${line}`)
        .join('\\\n')
    })
    .join('\n')
}

const uptimeText = (
  { uptimePercentage, uptimeSince }: PublicComponent,
  language: PageLanguage,
): string | null => {
  if (uptimePercentage === null) return null
  const share = fillText(language.texts.uptime, language.percent(uptimePercentage))
  return uptimeSince === null ? share : language.labelled(language.since(uptimeSince), share)
}

const causeText = ({ causedBy }: PublicComponent, { texts }: PageLanguage): string | null =>
  causedBy && fillText(texts.becauseOf, escapeMarkdown(causedBy.name))

const vendorText = ({ vendorReport }: PublicComponent, { texts }: PageLanguage): string | null => {
  if (vendorReport === null) return null
  const { vendor, status, message, url, reportedAt } = vendorReport
  const link = `[${escapeMarkdown(vendor)}](<${url}>)`
  if (status === 'no_data') return fillText(texts.vendorWithoutData, link, atTime(reportedAt))
  const words = message === null ? '' : ` “${escapeMarkdown(message)}”`
  const report = `${texts.components[status]}${words} (${atTime(reportedAt)})`
  return fillText(texts.vendorReports, link, report)
}

const affected = (components: readonly { name: string }[], { texts, list }: PageLanguage) =>
  components.length === 0
    ? null
    : fillText(texts.affects, escapeMarkdown(list(components.map(({ name }) => name))))

function* updateBlocks(
  updates: readonly { status: string; message: string; createdAt: string }[],
  labels: Readonly<Record<string, string>>,
  { facts }: PageLanguage,
): Blocks {
  for (const { status, message, createdAt } of updates) {
    yield facts(`**${labels[status]}**`, atTime(createdAt))
    yield message && blockquote(message)
  }
}

function* incidentBlocks(incident: PublicIncident, level: string, language: PageLanguage): Blocks {
  const { texts } = language
  const { title, impact, status, startedAt, updates, components, url } = incident
  yield `${level} ${escapeMarkdown(title)}`
  const started = fillText(texts.started, atTime(startedAt))
  yield language.facts(texts.incidents[status], texts.impacts[impact], started)
  yield affected(components, language)
  yield* updateBlocks(updates, texts.incidents, language)
  yield `<${url}>`
}

function* maintenanceBlocks(
  maintenance: PublicMaintenance,
  level: string,
  language: PageLanguage,
): Blocks {
  const { texts } = language
  const { title, status, message, scheduledFor, scheduledUntil, components, updates, url } =
    maintenance
  yield `${level} ${escapeMarkdown(title)}`
  const window = fillText(texts.window, atTime(scheduledFor), atTime(scheduledUntil))
  yield language.facts(texts.maintenances[status], window)
  yield affected(components, language)
  if (updates.length > 0) yield* updateBlocks(updates, texts.maintenances, language)
  else yield message && blockquote(message)
  yield `<${url}>`
}

export const incidentMarkdown = ({ language }: PageFrame, incident: PublicIncident): MarkdownText =>
  joinBlocks(incidentPageBlocks(incident, language))

function* incidentPageBlocks(incident: PublicIncident, language: PageLanguage): Blocks {
  const { texts } = language
  const { postmortem } = incident
  yield* incidentBlocks(incident, '#', language)
  if (postmortem === null) return
  const part = (title: string, text: string | null) => text && `### ${title}\n\n${blockquote(text)}`
  yield `## ${texts.postmortem}`
  yield part(texts.summary, postmortem.summary)
  yield part(texts.rootCause, postmortem.rootCause)
  yield part(texts.impact, postmortem.impact)
  yield part(texts.resolution, postmortem.resolution)
  const timeline = postmortem.timeline.map(({ at, text }) =>
    item(atTime(at), escapeMarkdown(text), language),
  )
  yield timeline.length > 0 && `### ${texts.timeline}\n\n${timeline.join('\n')}`
}

export const maintenanceMarkdown = (
  { language }: PageFrame,
  maintenance: PublicMaintenance,
): MarkdownText => joinBlocks(maintenanceBlocks(maintenance, '#', language))

export const historyMarkdown = (frame: PageFrame, month: HistoryMonth): MarkdownText =>
  joinBlocks(historyBlocks(frame, month))

function* historyBlocks(
  { page, urls, language }: PageFrame,
  { month, earlier, incidents, maintenances }: HistoryMonth,
): Blocks {
  const { texts } = language
  const line = (title: string, part: string, at: string) =>
    item(atTime(at), `[${escapeMarkdown(title)}](${urls.url(part)})`, language)
  const lines = [
    ...incidents.map((incident) =>
      line(incident.title, incidentPath(incident), incident.startedAt),
    ),
    ...maintenances.map((maintenance) =>
      line(maintenance.title, maintenancePath(maintenance), maintenance.scheduledFor),
    ),
  ]
  yield `# ${language.labelled(escapeMarkdown(page.name), language.month(month))}`
  yield lines.length === 0 ? texts.noIncidentsInMonth : lines.join('\n')
  yield earlier && `[${texts.earlier}](${urls.url(`/history?month=${earlier}`)})`
}

export const uptimeMarkdown = (frame: PageFrame, month: UptimeMonth): MarkdownText =>
  joinBlocks(uptimeBlocks(frame, month))

function* uptimeBlocks(
  { page, urls, language }: PageFrame,
  { month, earlier, components, days }: UptimeMonth,
): Blocks {
  const { texts } = language
  const title = language.facts(texts.uptimeTitle, language.month(month))
  yield `# ${language.labelled(escapeMarkdown(page.name), title)}`
  yield components
    .map(({ name, uptimePercentage }) => {
      const share =
        uptimePercentage === null ? texts.components.no_data : language.percent(uptimePercentage)
      return item(name, share, language)
    })
    .join('\n')
  for (const { date, incidents } of days) {
    const affected = components.flatMap(({ name, days: ofComponent }) =>
      ofComponent
        .filter((day) => day.date === date && hasIncident(day))
        .map((day) => item(name, dayState(day, language), language)),
    )
    const links = incidents.map(
      ({ incident }) =>
        `- [${escapeMarkdown(incident.title)}](${urls.url(incidentPath(incident))})`,
    )
    if (affected.length + links.length > 0) {
      yield `## ${language.day(date)}\n\n${[...affected, ...links].join('\n')}`
    }
  }
  yield earlier && `[${texts.earlier}](${urls.url(`/uptime?month=${earlier}`)})`
}

/** Markdown of the pages, for requests with `Accept: text/markdown`. */
import type {
  Cooperative,
  PublicComponent,
  PublicIncident,
  PublicMaintenance,
  PublicMetric,
} from '@status-page/contracts'
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
    list.values().flatMap((one) => incidentBlocks(one, '###', language))
  const maintenances = (list: readonly PublicMaintenance[]) =>
    list.values().flatMap((one) => maintenanceBlocks(one, '###', language))
  yield `# ${escapeMarkdown(page.name)}`
  yield page.description && escapeMarkdown(page.description)
  yield `**${texts.overall[status.status.indicator]}**`
  yield texts.asOf.replace('{}', atTime(status.page.updatedAt))
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
    .map(
      (metric) =>
        `- ${escapeMarkdown(metric.name)}: ${escapeMarkdown(formatLastValue(metric, language))}`,
    )
    .join('\n')

const componentsText = (components: readonly PublicComponent[], language: PageLanguage): string => {
  const depths = new Map<string, number>()
  return components
    .map((component) => {
      const { id, name, status, parentComponentId, groupName } = component
      const { uptimePercentage, uptimeSince } = component
      const depth = parentComponentId === null ? 0 : (depths.get(parentComponentId) ?? 0) + 1
      depths.set(id, depth)
      const group = groupName === null ? '' : `${escapeMarkdown(groupName)}: `
      const since = uptimeSince === null ? '' : `${language.since(uptimeSince)}: `
      const share =
        uptimePercentage === null
          ? ''
          : ` (${since}${language.texts.uptime.replace('{}', language.percent(uptimePercentage))})`
      return `${'  '.repeat(depth)}- ${group}${escapeMarkdown(name)}: ${language.texts.components[status]}${share}${causeText(component, language)}${vendorText(component, language)}`
    })
    .join('\n')
}

const causeText = ({ causedBy }: PublicComponent, { texts }: PageLanguage): string =>
  causedBy === null ? '' : `. ${texts.becauseOf.replace('{}', () => escapeMarkdown(causedBy.name))}`

const vendorText = ({ vendorReport }: PublicComponent, { texts }: PageLanguage): string => {
  if (vendorReport === null) return ''
  const { vendor, status, message, url, reportedAt } = vendorReport
  const link = `[${escapeMarkdown(vendor)}](<${url}>)`
  if (status === 'no_data') {
    return `. ${texts.vendorWithoutData.replace('{}', () => link)} ${atTime(reportedAt)}`
  }
  const source = texts.vendorReports.replace('{}', () => link)
  const words = message === null ? '' : ` “${escapeMarkdown(message)}”`
  return `. ${source} ${texts.components[status]}${words} (${atTime(reportedAt)})`
}

const affected = (components: readonly { name: string }[], { texts, list }: PageLanguage) =>
  components.length === 0
    ? null
    : texts.affects.replace('{}', escapeMarkdown(list(components.map(({ name }) => name))))

function* updateBlocks(
  updates: readonly { status: string; message: string; createdAt: string }[],
  labels: Readonly<Record<string, string>>,
): Blocks {
  for (const { status, message, createdAt } of updates) {
    yield `**${labels[status]}**, ${atTime(createdAt)}`
    yield message && blockquote(message)
  }
}

function* incidentBlocks(incident: PublicIncident, level: string, language: PageLanguage): Blocks {
  const { texts } = language
  const { title, impact, status, startedAt, updates, components, url } = incident
  yield `${level} ${escapeMarkdown(title)}`
  yield `${texts.incidents[status]}, ${texts.impacts[impact]}. ${texts.started.replace('{}', atTime(startedAt))}.`
  yield affected(components, language)
  yield* updateBlocks(updates, texts.incidents)
  yield `<${url}>`
}

function* maintenanceBlocks(one: PublicMaintenance, level: string, language: PageLanguage): Blocks {
  const { texts } = language
  const { title, status, message, scheduledFor, scheduledUntil, components, updates, url } = one
  yield `${level} ${escapeMarkdown(title)}`
  yield `${texts.maintenances[status]}. ${texts.from.replace('{}', atTime(scheduledFor))} ${atTime(scheduledUntil)}`
  yield affected(components, language)
  if (updates.length > 0) yield* updateBlocks(updates, texts.maintenances)
  else yield message && blockquote(message)
  yield `<${url}>`
}

export const incidentMarkdown = ({ language }: PageFrame, incident: PublicIncident): MarkdownText =>
  joinBlocks(incidentPageBlocks(incident, language))

function* incidentPageBlocks(incident: PublicIncident, language: PageLanguage): Blocks {
  const { texts } = language
  const { postmortem: one } = incident
  yield* incidentBlocks(incident, '#', language)
  if (one === null) return
  const part = (title: string, text: string | null) => text && `### ${title}\n\n${blockquote(text)}`
  yield `## ${texts.postmortem}`
  yield part(texts.summary, one.summary)
  yield part(texts.rootCause, one.rootCause)
  yield part(texts.impact, one.impact)
  yield part(texts.resolution, one.resolution)
  const timeline = one.timeline.map(({ at, text }) => `- ${atTime(at)}: ${escapeMarkdown(text)}`)
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
    `- ${atTime(at)}: [${escapeMarkdown(title)}](${urls.url(part)})`
  const lines = [
    ...incidents.map((one) => line(one.title, incidentPath(one), one.startedAt)),
    ...maintenances.map((one) => line(one.title, maintenancePath(one), one.scheduledFor)),
  ]
  yield `# ${escapeMarkdown(page.name)}: ${language.month(month)}`
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
  yield `# ${escapeMarkdown(page.name)}: ${texts.uptimeTitle}, ${language.month(month)}`
  yield components
    .map(({ name, uptimePercentage }) => {
      const share =
        uptimePercentage === null ? texts.components.no_data : language.percent(uptimePercentage)
      return `- ${escapeMarkdown(name)}: ${share}`
    })
    .join('\n')
  for (const { date, incidents } of days) {
    const affected = components.flatMap(({ name, days: ofComponent }) =>
      ofComponent
        .filter((day) => day.date === date && hasIncident(day))
        .map((day) => `- ${escapeMarkdown(name)}: ${dayState(day, language)}`),
    )
    const links = incidents.map(
      ({ incident: one }) => `- [${escapeMarkdown(one.title)}](${urls.url(incidentPath(one))})`,
    )
    if (affected.length + links.length > 0) {
      yield `## ${language.day(date)}\n\n${[...affected, ...links].join('\n')}`
    }
  }
  yield earlier && `[${texts.earlier}](${urls.url(`/uptime?month=${earlier}`)})`
}

/** Markdown of the pages, for requests with `Accept: text/markdown`. */
import type { PublicComponent, PublicIncident, PublicMaintenance } from '@status-page/contracts'
import { incidentPart, maintenancePart } from './incidents.ts'
import type { PageLanguage } from './language.ts'
import type { Frame } from './layout.ts'
import { lastValue } from './metrics.ts'
import type { Current, Month } from './queries.ts'

/** A tenant's text is text here too: it makes no headings, links or markup. */
const escapeMarkdown = (text: string): string =>
  text.replace(/[\\`*_[\]<>|]/g, '\\$&').replace(/^([#+-])/gm, '\\$1')

const blockquote = (text: string): string =>
  escapeMarkdown(text)
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n')

const joinBlocks = (...blocks: readonly (string | null | false)[]): string =>
  `${blocks.filter((block) => typeof block === 'string' && block !== '').join('\n\n')}\n`

const atTime = (iso: string): string => iso.replace('T', ' ').replace(/:\d\d\.\d+Z$/, ' UTC')

export const showMarkdown = (
  { page, place, language }: Frame,
  { status, recent }: Current,
): string => {
  const { say } = language
  const { active, upcoming } = status.maintenances
  return joinBlocks(
    `# ${escapeMarkdown(page.name)}`,
    page.description && escapeMarkdown(page.description),
    `**${say.overall[status.status.indicator]}**`,
    say.asOf.replace('{}', atTime(status.page.updatedAt)),
    sectionText(
      say.ongoing,
      status.activeIncidents.map((one) => incidentText(one, '###', language)),
    ),
    sectionText(
      say.underWay,
      active.map((one) => maintenanceText(one, '###', language)),
    ),
    sectionText(say.systems, [componentsText(status.components, language)]),
    sectionText(say.metrics, [
      status.metrics
        .map(
          (metric) =>
            `- ${escapeMarkdown(metric.name)}: ${escapeMarkdown(lastValue(metric, language))}`,
        )
        .join('\n'),
    ]),
    sectionText(
      say.planned,
      upcoming.map((one) => maintenanceText(one, '###', language)),
    ),
    sectionText(
      say.recent,
      recent.map((one) => incidentText(one, '###', language)),
    ),
    `[${say.history}](${place.url('/history')})`,
  )
}

const sectionText = (title: string, blocks: readonly string[]): string | null =>
  blocks.join('') === '' ? null : [`## ${title}`, ...blocks].join('\n\n')

const componentsText = (components: readonly PublicComponent[], language: PageLanguage): string => {
  const depths = new Map<string, number>()
  return components
    .map(({ id, name, status, parentComponentId, groupName, uptimePercentage }) => {
      const depth = parentComponentId === null ? 0 : (depths.get(parentComponentId) ?? 0) + 1
      depths.set(id, depth)
      const group = groupName === null ? '' : `${escapeMarkdown(groupName)}: `
      const share =
        uptimePercentage === null
          ? ''
          : ` (${language.say.uptime.replace('{}', language.percent(uptimePercentage))})`
      return `${'  '.repeat(depth)}- ${group}${escapeMarkdown(name)}: ${language.say.components[status]}${share}`
    })
    .join('\n')
}

const affected = (components: readonly { name: string }[], { say, list }: PageLanguage) =>
  components.length === 0
    ? null
    : say.affects.replace('{}', escapeMarkdown(list(components.map(({ name }) => name))))

const updatesText = (
  updates: readonly { status: string; message: string; createdAt: string }[],
  labels: Readonly<Record<string, string>>,
): string =>
  updates
    .map(({ status, message, createdAt }) =>
      [`**${labels[status]}**, ${atTime(createdAt)}`, message && blockquote(message)]
        .filter(Boolean)
        .join('\n\n'),
    )
    .join('\n\n')

const incidentText = (incident: PublicIncident, level: string, language: PageLanguage): string => {
  const { say } = language
  const { title, impact, status, startedAt, updates, components, url } = incident
  return [
    `${level} ${escapeMarkdown(title)}`,
    `${say.incidents[status]}, ${say.impacts[impact]}. ${say.started.replace('{}', atTime(startedAt))}.`,
    affected(components, language),
    updatesText(updates, say.incidents),
    `<${url}>`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

const maintenanceText = (one: PublicMaintenance, level: string, language: PageLanguage): string => {
  const { say } = language
  const { title, status, message, scheduledFor, scheduledUntil, components, updates, url } = one
  return [
    `${level} ${escapeMarkdown(title)}`,
    `${say.maintenances[status]}. ${say.from.replace('{}', atTime(scheduledFor))} ${atTime(scheduledUntil)}`,
    affected(components, language),
    updates.length > 0 ? updatesText(updates, say.maintenances) : message && blockquote(message),
    `<${url}>`,
  ]
    .filter(Boolean)
    .join('\n\n')
}

export const incidentMarkdown = ({ language }: Frame, incident: PublicIncident): string => {
  const { say } = language
  const { postmortem: one } = incident
  const part = (title: string, text: string | null | undefined) =>
    text ? `### ${title}\n\n${blockquote(text)}` : null
  const timeline =
    one?.timeline.map(({ at, text }) => `- ${atTime(at)}: ${escapeMarkdown(text)}`) ?? []
  return joinBlocks(
    incidentText(incident, '#', language),
    one !== null && `## ${say.postmortem}`,
    part(say.summary, one?.summary),
    part(say.rootCause, one?.rootCause),
    part(say.impact, one?.impact),
    part(say.resolution, one?.resolution),
    timeline.length > 0 && `### ${say.timeline}\n\n${timeline.join('\n')}`,
  )
}

export const maintenanceMarkdown = ({ language }: Frame, one: PublicMaintenance): string =>
  joinBlocks(maintenanceText(one, '#', language))

export const historyMarkdown = (
  { page, place, language }: Frame,
  { month, earlier, incidents, maintenances }: Month,
): string => {
  const { say } = language
  const line = (title: string, part: string, at: string) =>
    `- ${atTime(at)}: [${escapeMarkdown(title)}](${place.url(part)})`
  const lines = [
    ...incidents.map((one) => line(one.title, incidentPart(one), one.startedAt)),
    ...maintenances.map((one) => line(one.title, maintenancePart(one), one.scheduledFor)),
  ]
  return joinBlocks(
    `# ${escapeMarkdown(page.name)}: ${language.month(month)}`,
    lines.length === 0 ? say.nothingThen : lines.join('\n'),
    earlier && `[${say.earlier}](${place.url(`/history?month=${earlier}`)})`,
  )
}

/** Prints plans and drift: one line per resource, with colours on a terminal. */
import { styleText } from 'node:util'
import type { Schemas } from '@status-page/client'
import type { CliEnvironment } from './credentials.ts'

type ConfigApplyResult = Schemas['ConfigApplyResult']
type ConfigDrift = Schemas['ConfigDrift']

export type ColourText = (colour: 'green' | 'yellow' | 'red' | 'bold', text: string) => string

/** https://no-color.org: any value but an empty one. */
export const createColourText = (context: {
  isTerminal: boolean
  environment: CliEnvironment
}): ColourText => {
  const { NO_COLOR, TERM } = context.environment
  const isColoured = context.isTerminal && !NO_COLOR && TERM !== 'dumb'
  return isColoured
    ? (colour, text) => styleText(colour, text, { validateStream: false })
    : (_colour, text) => text
}

/** Replaces control characters, so that a name of a resource cannot control the terminal. */
export const stripControlCharacters = (text: string): string =>
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the pattern removes control characters
  text.replaceAll(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, '?')

const kinds: Record<ConfigApplyResult['created'][number]['resourceType'], string> = {
  component_group: 'group',
  component: 'component',
  integration: 'integration',
  status_page: 'status page',
  incident_template: 'incident template',
  maintenance_template: 'maintenance template',
  sla: 'service level',
  notification_channel: 'notification channel',
  oncall_schedule: 'on-call schedule',
}

const nameOf = ({ resourceType, resourceName }: ConfigApplyResult['created'][number]): string =>
  `${kinds[resourceType] ?? resourceType} ${stripControlCharacters(resourceName)}`

const fieldsOf = ({ fields }: { fields: readonly string[] }): string =>
  fields.length === 0 ? '' : ` (${fields.map(stripControlCharacters).join(', ')})`

export const formatPlan = (applied: ConfigApplyResult, paint: ColourText): string => {
  const { created, updated, deleted, unchanged, dryRun, warnings } = applied
  const lines = [
    ...created.map((one) => paint('green', `  + ${nameOf(one)}`)),
    ...updated.map((one) => paint('yellow', `  ~ ${nameOf(one)}${fieldsOf(one)}`)),
    ...deleted.map((one) => paint('red', `  - ${nameOf(one)}`)),
  ]
  const [make, change, drop] = dryRun
    ? ['to create', 'to update', 'to delete']
    : ['created', 'updated', 'deleted']
  const counts = [
    `${created.length} ${make}`,
    `${updated.length} ${change}`,
    `${deleted.length} ${drop}`,
    `${unchanged} unchanged`,
  ]
  const summary =
    lines.length === 0 ? `No changes: ${unchanged} unchanged.` : `${counts.join(', ')}.`
  return joinLines([...lines, ...warnings.map(formatWarning), paint('bold', summary)])
}

export const formatWarning = (message: string): string => `  ! ${stripControlCharacters(message)}`

const reasons: Record<
  ConfigDrift['drift'][number]['reason'],
  readonly ['green' | 'yellow' | 'red', string]
> = {
  not_in_config: ['green', '+ %s is not in the document'],
  missing_in_system: ['red', '- %s no longer exists'],
  modified: ['yellow', '~ %s differs'],
}

export const formatDrift = (
  { drift, totalResources, managedByConfig }: ConfigDrift,
  paint: ColourText,
): string => {
  const lines = drift.map((one) => {
    const [colour, phrase] = reasons[one.reason]
    return paint(colour, `  ${phrase.replace('%s', () => nameOf(one))}${fieldsOf(one)}`)
  })
  const counted = `${totalResources} resources, ${managedByConfig} of them managed by configuration`
  const summary =
    lines.length === 0 ? `No drift: ${counted}.` : `${lines.length} differ: ${counted}.`
  return joinLines([...lines, paint('bold', summary)])
}

/** One line: time, kind, subject and its state. */
export const formatEvent = (entry: Schemas['StreamEntry'], paint: ColourText): string => {
  const { event, timestamp, incident, maintenance, component, monitor, alert, sla } = entry
  const subjects = [incident, maintenance, component, monitor, alert, sla, entry.draft]
  const subject = [...subjects, entry.target].find((one) => one !== undefined)
  const title = (subject ?? entry.certificate)?.title ?? ''
  const state = [subject && 'status' in subject && subject.status, incident?.impact]
    .filter(Boolean)
    .join(', ')
  const name = paint('bold', stripControlCharacters(title))
  return `${timestamp}  ${event.padEnd(KIND_COLUMN)}  ${name}${state === '' ? '' : ` (${state})`}`
}

/** Width of the longest common kinds. */
const KIND_COLUMN = 22

/** One line per kind, followed by the warnings. */
export const formatImportReport = (report: Schemas['StatuspageReport']): string => {
  const { dryRun, page, components, incidents, maintenances, subscribers, warnings } = report
  const { incidentTemplates } = report
  const verb = dryRun ? 'to create' : 'created'
  const counts = { components, incidents, maintenances, 'incident templates': incidentTemplates }
  const lines = Object.entries(counts).map(
    ([name, { created, updated, unchanged }]) =>
      `${name}: ${created} ${verb}, ${updated} updated, ${unchanged} unchanged`,
  )
  const address = page === null ? [] : [`page: ${page.url}, ${pageState(page, verb)}`]
  const people = subscribers === null ? [] : [`subscribers: ${subscribers.imported} imported`]
  const remarks = warnings.map(({ field, message }) => formatWarning(`${field}: ${message}`))
  return joinLines([...address, ...lines, ...people, ...remarks])
}

const pageState = (
  { isNew, isPublished }: NonNullable<Schemas['StatuspageReport']['page']>,
  verb: string,
): string => `${isNew ? verb : 'unchanged'}, ${isPublished ? 'published' : 'not published'}`

export const inJson = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`

export const joinLines = (lines: readonly string[]): string =>
  lines.map((line) => `${line}\n`).join('')

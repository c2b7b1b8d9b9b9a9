/**
 * Draft of an incident: what the user entered. The incident is derived from it, so that a change of
 * the line never overwrites a choice of the user.
 */
import type { Schemas } from '@status-page/client'
import type { NewIncident } from '@status-page/contracts'
import type { FieldErrors } from '../api/field-errors.ts'
import { type AmbiguousName, type NamedComponent, parseLine } from './parse-line.ts'
import { variablesIn, withVariables } from './placeholders.ts'

type IncidentStatus = Schemas['Incident']['status']
type Impact = Schemas['Incident']['impact']

/** Status that the incident sets, or none. */
export type StatusChoice = NonNullable<NewIncident['componentStatuses']>[string] | 'unchanged'

export type PublishedIncident = Schemas['Incident']

/** Reason for which a publication ended; the text is a draft again. */
export type Refusal =
  | { kind: 'refused'; message: string; fields: FieldErrors }
  /** Not published while the service recognizes repeats of the request. */
  | { kind: 'expired' }
  /** An earlier request of the same draft, with another body, has published this incident. */
  | { kind: 'conflict'; published: PublishedIncident }

export interface ComposerDraft {
  id: string
  /** A draft that was sent once retains its key, so that it is never published twice. */
  idempotencyKey: string
  changedAt: number
  line: string
  /** Null while the line determines the title. */
  title: string | null
  message: string
  status: IncidentStatus
  /** Null while the components determine the impact. */
  impact: Impact | null
  /** Component for each text of the line that several components match. */
  chosenIds: Readonly<Record<string, string>>
  /** Choices by component, of the line or added. */
  statuses: Readonly<Record<string, StatusChoice>>
  removedIds: readonly string[]
  variables: Readonly<Record<string, string>>
  nextUpdateMinutes: number | null
  notifySubscribers: boolean
  /** Bodies of the requests with the key, latest first, and the time of the first one in ms. */
  sent: { bodies: readonly NewIncident[]; firstAt: number } | null
  refusal: Refusal | null
}

export const nextUpdateChoices = [15, 30, 60] as const
const DEFAULT_NEXT_UPDATE_MINUTES = 30

/** Random id; `crypto.randomUUID` exists in secure contexts only. */
const randomId = (): string =>
  [...crypto.getRandomValues(new Uint8Array(16))]
    .map((byte) => byte.toString(16).padStart(2, '0'))
    .join('')

export const newDraft = (now: number, entered: Partial<ComposerDraft> = {}): ComposerDraft => ({
  id: randomId(),
  idempotencyKey: newIdempotencyKey(),
  changedAt: now,
  line: '',
  title: null,
  message: '',
  status: 'investigating',
  impact: null,
  chosenIds: {},
  statuses: {},
  removedIds: [],
  variables: {},
  nextUpdateMinutes: DEFAULT_NEXT_UPDATE_MINUTES,
  notifySubscribers: true,
  sent: null,
  refusal: null,
  ...entered,
})

export const newIdempotencyKey = (): string => `dashboard-${randomId()}`

/** Returns whether a draft has nothing that the user would miss. */
export const isEmptyDraft = ({ line, title, message, statuses, sent }: ComposerDraft): boolean =>
  [line, title ?? '', message].every((text) => text.trim() === '') &&
  Object.keys(statuses).length === 0 &&
  sent === null

export interface ComposedComponent extends NamedComponent {
  status: StatusChoice
}

export interface ComposedIncident {
  components: ComposedComponent[]
  ambiguous: AmbiguousName[]
  title: string
  message: string
  impact: Impact
  /** Variables of the title and the message without a value. */
  missingVariables: string[]
}

/** Text of a status in a title; used when the line names components only. */
type StatusName = (status: Exclude<StatusChoice, 'unchanged'>) => string

export const composeIncident = (
  draft: ComposerDraft,
  known: readonly NamedComponent[],
  nameOf: StatusName,
): ComposedIncident => {
  const line = parseLine(draft.line, known)
  const resolved = line.ambiguous.filter(({ text }) => draft.chosenIds[text] !== undefined)
  const chosen = new Map<string, StatusChoice>([
    ...line.components.map(({ id, status }) => [id, status] as const),
    ...resolved.map(({ text, status }) => [draft.chosenIds[text] ?? '', status] as const),
    ...Object.entries(draft.statuses),
  ])
  const names = new Map(known.map(({ id, name }) => [id, name]))
  const components = [...chosen]
    .filter(([id]) => names.has(id) && !draft.removedIds.includes(id))
    .map(([id, status]) => ({ id, name: names.get(id) ?? '', status }))
  const worst = worstOf(components)
  const derived = line.hasWords || worst === null ? line.title : `${line.title}: ${nameOf(worst)}`
  const written = draft.title ?? derived
  const title = withVariables(written, draft.variables)
  const message = withVariables(draft.message, draft.variables)
  return {
    components,
    ambiguous: line.ambiguous.filter(({ text }) => !resolved.some((one) => one.text === text)),
    title,
    message,
    impact: draft.impact ?? impactOf(worst),
    missingVariables: variablesIn(title, message),
  }
}

const worstFirst = ['major_outage', 'partial_outage', 'degraded_performance'] as const
type Worst = (typeof worstFirst)[number]

const worstOf = (components: readonly ComposedComponent[]): Worst | null =>
  worstFirst.find((status) => components.some((one) => one.status === status)) ?? null

const impacts: Record<Worst, Impact> = {
  major_outage: 'critical',
  partial_outage: 'major',
  degraded_performance: 'minor',
}

const impactOf = (worst: Worst | null): Impact => (worst === null ? 'minor' : impacts[worst])

const MINUTE_MS = 60_000

/** Body of the request; `nextUpdateAt` counts from `now`. */
export const incidentBodyOf = (
  { status, nextUpdateMinutes, notifySubscribers }: ComposerDraft,
  { title, message, impact, components }: ComposedIncident,
  now: number,
): NewIncident => {
  const set = components.filter((one) => one.status !== 'unchanged')
  const isPromised = nextUpdateMinutes !== null && status !== 'resolved'
  return {
    title: title.trim(),
    status,
    impact,
    message,
    componentIds: components.map(({ id }) => id),
    componentStatuses: Object.fromEntries(
      set.map((one) => [one.id, one.status]),
    ) as NewIncident['componentStatuses'],
    nextUpdateAt: isPromised ? new Date(now + nextUpdateMinutes * MINUTE_MS).toISOString() : null,
    notifySubscribers,
  }
}

type Template = Schemas['IncidentTemplate']

/** Draft with the content of a template; text of the user stays above that of the template. */
export const withTemplate = (draft: ComposerDraft, template: Template): ComposerDraft => {
  const { title, message, status, impact, componentIds, componentStatuses } = template
  const unchanged = componentIds.map((id) => [id, 'unchanged'] as const)
  const texts = [draft.message, message].filter((text) => text.trim() !== '')
  return {
    ...draft,
    title,
    message: draft.message.includes(message) ? draft.message : texts.join('\n\n'),
    status,
    impact,
    statuses: { ...draft.statuses, ...Object.fromEntries(unchanged), ...componentStatuses },
    removedIds: [],
  }
}

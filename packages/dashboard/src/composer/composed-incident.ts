/**
 * Incident that a draft describes. It is derived from what the user entered, so that a change
 * of the line never overwrites a choice of the user.
 */
import type { Schemas } from '@status-page/client'
import type { DisruptedStatus, NewIncident } from '@status-page/contracts'
import { disruptedStatuses } from '../api/contract.ts'
import type { ComposerDraft, StatusChoice } from './draft.ts'
import { type AmbiguousName, type NamedComponent, parseLine } from './parse-line.ts'
import { variablesIn, withVariables } from './placeholders.ts'

type Impact = Schemas['Incident']['impact']

export const nextUpdateChoices = [15, 30, 60] as const

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

/** Title of a line that names components only. */
type TitleOfStatus = (names: string, status: DisruptedStatus) => string

export const composeIncident = (
  draft: ComposerDraft,
  known: readonly NamedComponent[],
  titleOf: TitleOfStatus,
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
  const derived = line.hasWords || worst === null ? line.title : titleOf(line.title, worst)
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

const worstOf = (components: readonly ComposedComponent[]): DisruptedStatus | null =>
  disruptedStatuses.find((status) => components.some((one) => one.status === status)) ?? null

const impacts: Record<DisruptedStatus, Impact> = {
  major_outage: 'critical',
  partial_outage: 'major',
  degraded_performance: 'minor',
}

const impactOf = (worst: DisruptedStatus | null): Impact =>
  worst === null ? 'minor' : impacts[worst]

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

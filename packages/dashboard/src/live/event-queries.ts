/** Cached reads that an event changes, by the noun of its kind. */
import type { StreamedKind } from '@status-page/contracts'
import type { QueryKey } from '@tanstack/react-query'

/** Event of the stream: its kind and the id of its subject, such as an incident. */
export interface LiveEvent {
  kind: string
  subjectId: string
}

type KeysOf = (subjectId: string) => readonly QueryKey[]

const overview: QueryKey = ['overview']
const components: QueryKey = ['components']

/** Reads that name components. */
const componentReads: readonly QueryKey[] = [
  overview,
  components,
  ['incidents'],
  ['incident-drafts'],
  ['maintenances'],
  ['slas'],
  ['oncall-alerts'],
  ['status-pages'],
]

type Noun<Kind> = Kind extends `${infer Subject}.${string}` ? Subject : never

/** Complete by its type: a new noun of the contract does not compile without its reads. */
const queriesByNoun: Record<Noun<StreamedKind>, KeysOf> = {
  incident: (id) => [
    overview,
    components,
    ['incidents', 'list'],
    ['incidents', 'open'],
    ['incidents', 'detail', id],
  ],
  'incident-draft': () => [overview, ['incident-drafts']],
  maintenance: () => [overview, components, ['maintenances']],
  component: () => componentReads,
  monitor: () => [overview, components],
  certificate: () => [components],
  sla: () => [overview, ['slas']],
  oncall: () => [overview, ['oncall-alerts']],
}

/** Reads that any event can change. */
export const liveQueries: readonly QueryKey[] = [...componentReads, ['deliveries']]

const isKnownNoun = (noun: string): noun is Noun<StreamedKind> => Object.hasOwn(queriesByNoun, noun)

/** Reads that the event changes; every live read for a noun of a newer version of the service. */
export const queriesOf = ({ kind, subjectId }: LiveEvent): readonly QueryKey[] => {
  const [noun = ''] = kind.split('.', 1)
  return isKnownNoun(noun) ? queriesByNoun[noun](subjectId) : liveQueries
}

/** Reads that deliveries change. */
export const deliveryQueries: readonly QueryKey[] = [overview, ['deliveries']]

/** Returns whether the service creates deliveries after the event; they emit no event. */
export const hasDeliveries = ({ kind }: LiveEvent): boolean =>
  !/^(?:incident-draft|component)\./.test(kind)

/** Event of the data of a message; null if they are not those of an event. */
export const liveEventOf = (data: string): LiveEvent | null => {
  try {
    const { event, ...fields } = JSON.parse(data) as Record<string, unknown>
    const subject = Object.values(fields).find(hasId)
    return typeof event === 'string' ? { kind: event, subjectId: subject?.id ?? '' } : null
  } catch {
    return null
  }
}

const hasId = (value: unknown): value is { id: string } =>
  typeof value === 'object' && value !== null && 'id' in value && typeof value.id === 'string'

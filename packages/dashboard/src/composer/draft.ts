/** Draft of an incident: what the user entered. */
import type { ApiErrorBody, Schemas } from '@status-page/client'
import type { NewIncident } from '@status-page/contracts'

type IncidentStatus = Schemas['Incident']['status']
type Impact = Schemas['Incident']['impact']

/** Status that the incident sets, or none. */
export type StatusChoice = NonNullable<NewIncident['componentStatuses']>[string] | 'unchanged'

export type PublishedIncident = Schemas['Incident']

/** Reason for which a publication ended; the text is a draft again. */
export type Refusal =
  /** Error reply, whose texts follow the language of the user when it is shown. */
  | { kind: 'refused'; status: number; error: ApiErrorBody }
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

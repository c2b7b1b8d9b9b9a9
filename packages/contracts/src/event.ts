/** An event: a fact that a service states about its own aggregate, with the aggregate's version. */
import type { Static, TSchema } from '@sinclair/typebox'
import type { ServiceName } from './operation.ts'

export interface EventSpec {
  /** `<noun>.<verb>`; the subject is `events.<kind>.<organization id>`. */
  kind: `${string}.${string}`
  producers: readonly ServiceName[]
  /**
   * Selection for notification: by subscribers (and channels), by channels, by channels that name it
   * (no selection does not include it), or not at all.
   */
  selectableBy: 'subscriber' | 'channel' | 'channel-by-name' | 'none'
  data: TSchema
}

export type Event<Spec extends EventSpec = EventSpec> = Readonly<Spec>

export const event = <const Spec extends EventSpec>(spec: Spec): Event<Spec> => Object.freeze(spec)

export type DataOf<Spec> = Spec extends { data: infer S extends TSchema } ? Static<S> : never

/** The aggregate that an event is about; its version rises with every event. */
export interface Aggregate {
  type: string
  id: string
  version: number
}

/** An event before the outbox gives it an id, a time and an organization. */
export interface EventDraft {
  kind: string
  aggregate: Aggregate
  data: unknown
}

/** An event as it travels. */
export interface Envelope<Data = unknown> {
  id: string
  kind: string
  organizationId: string
  producer: ServiceName
  aggregate: Aggregate
  /** ISO 8601, the database's clock. */
  occurredAt: string
  data: Data
}

/** States an event; the aggregate's type is the noun of the kind. */
export const emit = <Spec extends EventSpec>(
  spec: Event<Spec>,
  aggregate: { id: string; version: number },
  data: DataOf<Spec>,
): EventDraft => ({
  kind: spec.kind,
  aggregate: { type: nounOf(spec.kind), id: aggregate.id, version: aggregate.version },
  data,
})

export const nounOf = (kind: string): string => kind.slice(0, kind.indexOf('.'))

export const subjectOf = (kind: string, organizationId: string): string =>
  `events.${kind}.${organizationId}`

/** Organization of the platform's own events. */
export const PLATFORM = '00000000-0000-0000-0000-000000000000'

/** What can be committed must be publishable. */
export const MAX_EVENT_BYTES = 200 * 1024

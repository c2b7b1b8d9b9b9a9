/**
 * Events: a service publishes changes of its own aggregates, each with the version of the
 * aggregate.
 */
import type { Static, TSchema } from '@sinclair/typebox'
import type { ServiceName } from './operation.ts'

export interface EventSpec {
  /** `<noun>.<verb>`; the NATS subject is `events.<kind>.<organization id>`. */
  kind: `${string}.${string}`
  producers: readonly ServiceName[]
  data: TSchema
}

export type Event<Spec extends EventSpec = EventSpec> = Readonly<Spec>

export const event = <Kind extends EventSpec['kind'], Data extends TSchema>(
  kind: Kind,
  producers: readonly ServiceName[],
  data: Data,
) => Object.freeze({ kind, producers, data })

/** Kinds of a list of events, in its order. */
export const kindsOf = <const Events extends readonly Event[]>(events: Events) =>
  events.map(({ kind }) => kind) as { [Index in keyof Events]: Events[Index]['kind'] }

export type EventDataOf<Spec> = Spec extends { data: infer S extends TSchema } ? Static<S> : never

/** Aggregate of an event; its version rises with every event. */
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

/** Event as published: the draft with its id, organization, producer and time. */
export interface Envelope<Data = unknown> {
  id: string
  kind: string
  organizationId: string
  producer: ServiceName
  aggregate: Aggregate
  /** ISO 8601, from the clock of the database. */
  occurredAt: string
  data: Data
}

/** Creates an event draft; the aggregate's type is the noun of the kind. */
export const draftEvent = <Spec extends Event>(
  spec: Spec,
  aggregate: { id: string; version: number },
  data: EventDataOf<Spec>,
): EventDraft => ({
  kind: spec.kind,
  aggregate: { type: nounOfKind(spec.kind), id: aggregate.id, version: aggregate.version },
  data,
})

export const nounOfKind = (kind: string): string => kind.slice(0, kind.indexOf('.'))

export const subjectOf = (kind: string, organizationId: string): string =>
  `events.${kind}.${organizationId}`

/** Organization id of events of the platform itself. */
export const PLATFORM_ORGANIZATION_ID = '00000000-0000-0000-0000-000000000000'

/**
 * Maximum size of an event's data, checked before commit, so that every committed event can be
 * published.
 */
export const MAX_EVENT_BYTES = 200 * 1024

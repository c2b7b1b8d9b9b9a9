/** A reaction: when one of these events arrives, do this change once. */
import {
  type DataOf,
  type Envelope,
  type Event,
  nounOf,
  type Outcome,
  type ServiceName,
} from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'

/** The envelope of an event, narrowed by its kind. */
export type EnvelopeOf<Spec> = Spec extends Event
  ? Envelope<DataOf<Spec>> & { kind: Spec['kind'] }
  : never

/** What a reaction that speaks to people takes first, so that versions stay in order. */
export interface CatchUp {
  /** Earlier versions of the same aggregate. */
  aggregates: true
  /** The consumer, of the same service, that keeps the copy of the organization's subscribers. */
  subscribersVia?: string
}

export interface EventHandler {
  /** `<service>-<feature>`: the name on its receipts, never changed. */
  consumer: string
  on: readonly Event[]
  handle: (scope: Scope, envelope: Envelope) => Promise<Outcome<unknown>>
  /** Work too large for one transaction, in transactions of its own before the one that has the receipt. */
  prepare?: (database: Database, envelope: Envelope) => Promise<void>
  requiresOrdering?: { catchUp: CatchUp }
  /** Takes events of deleted organizations too; every other reaction only gives their receipt. */
  afterErasure?: boolean
}

export interface EventHandlerSpec<On extends readonly Event[]> {
  consumer: `${ServiceName}-${string}`
  on: On
  handle(scope: Scope, envelope: EnvelopeOf<On[number]>): Promise<Outcome<unknown>>
  /** Runs again after a crash, and may run twice at once. */
  prepare?(database: Database, envelope: EnvelopeOf<On[number]>): Promise<void>
  requiresOrdering?: { catchUp: CatchUp }
  /** Takes events of deleted organizations too; every other reaction only gives their receipt. */
  afterErasure?: boolean
}

/** States a reaction; `handle` sees only envelopes whose data passed the schema of their event. */
export const eventHandler = <const On extends readonly Event[]>(
  spec: EventHandlerSpec<On>,
): EventHandler => {
  const { handle, prepare, ...rest } = spec
  const handler: EventHandler = {
    ...rest,
    handle: (scope, envelope) => handle(scope, envelope as EnvelopeOf<On[number]>),
  }
  if (prepare !== undefined) {
    handler.prepare = (database, envelope) => prepare(database, envelope as EnvelopeOf<On[number]>)
  }
  return Object.freeze(handler)
}

export const kindsOf = (of: EventHandler): string[] => of.on.map((event) => event.kind)

export const takes = (of: EventHandler, kind: string): boolean =>
  of.on.some((event) => event.kind === kind)

/** Services whose feeds may hold events for the reaction. */
export const producersOf = (of: EventHandler): ServiceName[] => [
  ...new Set(of.on.flatMap((event) => event.producers)),
]

/** A JetStream durable: one per consumer and noun, because 2.9 allows one filter subject. */
export interface Durable {
  name: string
  filter: string
}

export const durablesOf = (consumer: string, kinds: readonly string[]): Durable[] =>
  [...new Set(kinds.map(nounOf))].map((noun) => ({
    name: `${consumer}-${noun}-v1`,
    filter: `events.${noun}.>`,
  }))

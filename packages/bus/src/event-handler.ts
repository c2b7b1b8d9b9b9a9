/**
 * Event handler: one transaction per event of the listed kinds, or per batch of them, run exactly
 * once.
 */
import {
  type Envelope,
  type Event,
  type EventDataOf,
  nounOfKind,
  type OutcomeDrafts,
  type ServiceName,
} from '@status-page/contracts'
import type { Database, Scope } from '@status-page/postgres'
import type { Logger } from 'pino'
import type { Intervals } from './intervals.ts'
import type { RetryPauses } from './pauses.ts'

/** The envelope of an event, narrowed by its kind. */
export type EnvelopeOf<Spec> = Spec extends Event
  ? Envelope<EventDataOf<Spec>> & { kind: Spec['kind'] }
  : never

/**
 * Events that a handler with ordering handles first, so that notifications follow the version
 * order.
 */
export interface CatchUpOptions {
  /** Earlier versions of the same aggregate. */
  aggregates: true
  /**
   * Consumer of the same service that maintains the projection of the organization's subscribers.
   */
  subscribersVia?: string
}

export interface EventHandler {
  /** `<service>-<feature>`: the name on receipts; never changes. */
  consumer: string
  on: readonly Event[]
  handle: (scope: Scope, envelope: Envelope) => Promise<OutcomeDrafts | undefined>
  /**
   * Work too large for one transaction, in transactions of its own before the one that inserts the
   * receipt.
   */
  prepare?: (database: Database, envelope: Envelope) => Promise<void>
  requiresOrdering?: { catchUp: CatchUpOptions }
  /**
   * Handles events of deleted organizations too; every other handler only inserts their receipt.
   */
  afterErasure?: boolean
  /**
   * Handles the events of one organization that wait together in one transaction, for handlers of
   * few short statements without `prepare` and `subscribersVia`.
   */
  isBatched?: boolean
}

export interface EventHandlerSpec<On extends readonly Event[]> {
  consumer: `${ServiceName}-${string}`
  on: On
  handle(scope: Scope, envelope: EnvelopeOf<On[number]>): Promise<OutcomeDrafts | undefined>
  /** Prepares before the transaction; runs again after a crash and may run twice at once. */
  prepare?(database: Database, envelope: EnvelopeOf<On[number]>): Promise<void>
  requiresOrdering?: { catchUp: CatchUpOptions }
  /**
   * Handles events of deleted organizations too; every other handler only inserts their receipt.
   */
  afterErasure?: boolean
  /**
   * Handles the events of one organization that wait together in one transaction, for handlers of
   * few short statements without `prepare` and `subscribersVia`.
   */
  isBatched?: boolean
}

/**
 * Declares an event handler; `handle` receives only envelopes whose data passed the event's schema.
 */
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

export const eventKindsOf = (of: EventHandler): string[] => of.on.map((event) => event.kind)

export const handlesKind = (of: EventHandler, kind: string): boolean =>
  of.on.some((event) => event.kind === kind)

/** Services whose outboxes may hold events for the handler. */
export const producersOf = (of: EventHandler): ServiceName[] => [
  ...new Set(of.on.flatMap((event) => event.producers)),
]

/** A JetStream durable: one per consumer and noun, because 2.9 allows one filter subject. */
export interface DurableConsumer {
  name: string
  filter: string
}

export const durableConsumersOf = (consumer: string, kinds: readonly string[]): DurableConsumer[] =>
  [...new Set(kinds.map(nounOfKind))].map((noun) => ({
    name: `${consumer}-${noun}-v1`,
    filter: `events.${noun}.>`,
  }))

/** Dependencies of the handling of every event in one service. */
export interface HandlerContext {
  database: Database
  eventHandlers: readonly EventHandler[]
  intervals: Intervals
  pauses: RetryPauses
  logger: Pick<Logger, 'debug' | 'info' | 'warn' | 'error'>
}

export type HandlerResult =
  | {
      result:
        | 'done'
        | 'already'
        | 'not-registered'
        | 'never-committed'
        | 'not-handled'
        | 'quarantined'
    }
  /** The handler or the message failed; retried after `pauseMs` at the earliest. */
  | { result: 'failed'; error: unknown; pauseMs: number }
  /** A predecessor must be handled first; not counted as an attempt. */
  | { result: 'waiting'; pauseMs: number }

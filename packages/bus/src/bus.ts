import type { ServiceName } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import type { Logger } from 'pino'
import type { Intervals } from './intervals.ts'
import type { Reaction } from './reaction.ts'

/** What the process can say about its part of the bus, for metrics and readiness. */
export interface BusStatus {
  mode: 'nats' | 'bypass'
  /** Age of this service's oldest event that NATS has not got. */
  unpublishedAgeSeconds: number
  /** Age of this service's oldest event that a consumer lacks. */
  unsettledAgeSeconds: number
  /** Quarantined events of this service's consumers, not yet requeued. */
  deadEvents: number
  /** ISO 8601; null before the first good round trip. */
  lastRoundTripAt: string | null
  /** Creation time of the stream; another epoch is another store. */
  epoch: string | null
  /** `consumer kind` of reactions that no migration registered: not ready. */
  unregistered: readonly string[]
}

export interface BusOptions {
  database: Database
  service: ServiceName
  reactions: readonly Reaction[]
  /** May carry `user:password@`; null: the bus runs in bypass for ever. */
  natsUrl: string | null
  natsCredentials?: { user: string; password: string }
  logger: Logger
  /** Milliseconds, monotonic. */
  clock?: () => number
  intervals?: Partial<Intervals>
}

export interface Bus {
  /** Resolves once the loops run; never waits for NATS. */
  start(): Promise<void>
  stop(): Promise<void>
  mode(): 'nats' | 'bypass'
  status(): BusStatus
}

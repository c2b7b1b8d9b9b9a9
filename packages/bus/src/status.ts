/** State of the bus in one process. */
import type { Mode } from './probe.ts'

/** What the process can say about its part of the bus, for metrics and readiness. */
export interface BusStatus {
  mode: Mode
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

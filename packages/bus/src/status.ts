/** State of the bus in one process. */
import type { Mode } from './probe.ts'

/** Status of the process's part of the bus, for metrics and readiness. */
export interface BusStatus {
  mode: Mode
  /** Age of this service's oldest unpublished event. */
  unpublishedAgeSeconds: number
  /** Age of this service's oldest event that a consumer has not handled. */
  unsettledAgeSeconds: number
  /** Quarantined events of this service's consumers, not yet requeued. */
  deadEvents: number
  /** ISO 8601; null before the first successful round trip. */
  lastRoundTripAt: string | null
  /** Creation time of the stream; a different one means a different store. */
  epoch: string | null
  /** `consumer kind` of handlers that no migration registered; the process is not ready then. */
  unregistered: readonly string[]
}

/** State of the bus in one process. */
import type { TransportMode } from './probe.ts'

/** Status of the process's part of the bus, for metrics and readiness. */
export interface BusStatus {
  mode: TransportMode
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

export type BusMetric = 'unpublishedAgeSeconds' | 'unsettledAgeSeconds' | 'deadEvents' | 'bypass'

/** Help texts of the gauges, by name. */
export const busMetricHelp: Readonly<Record<BusMetric, string>> = {
  unpublishedAgeSeconds:
    'Age of the oldest outbox event without a JetStream publish acknowledgement',
  unsettledAgeSeconds: 'Age of the oldest event that at least one consumer has not processed',
  deadEvents: 'Events quarantined after their last delivery attempt and not requeued',
  bypass: 'Whether consumers read events from Postgres because JetStream does not respond (1 or 0)',
}

/** Values of the gauges. */
export const busMetrics = (bus: {
  mode(): TransportMode
  status(): BusStatus
}): Readonly<Record<BusMetric, number>> => {
  const { unpublishedAgeSeconds, unsettledAgeSeconds, deadEvents } = bus.status()
  const bypass = bus.mode() === 'bypass' ? 1 : 0
  return { unpublishedAgeSeconds, unsettledAgeSeconds, deadEvents, bypass }
}

/**
 * Loads the events that digests cover: the newest of each digest, with digests in turn, within a
 * number and a size for the batch. A digest counts those that are not loaded.
 */
import { asWorkerRaw, type Database } from '@status-page/postgres'
import { type LeasedEvent, loadEvents, organizationScopedKey, takeWithinBytes } from './events.ts'
import type { LoadedDelivery } from './load-for-send.ts'

export interface CoveredBounds {
  perDigest: number
  perBatch: number
  /** Size of all payloads of a batch. */
  batchBytes: number
}

/** A digest lists 30 events; those that are muted or replaced by a newer one are not listed. */
const BOUNDS: CoveredBounds = { perDigest: 100, perBatch: 1_000, batchBytes: 16 * 1024 * 1024 }

type Covering = Pick<LoadedDelivery['delivery'], 'organizationId' | 'coveredEventIds'>

/** Returns the loaded events of a delivery. */
export const loadCoveredEvents = async (
  database: Database,
  deliveries: readonly Covering[],
  bounds: CoveredBounds = BOUNDS,
): Promise<(delivery: Covering) => LeasedEvent[]> => {
  const wanted = newestInTurn(deliveries, bounds)
  const events =
    wanted.length === 0
      ? new Map<string, LeasedEvent>()
      : await asWorkerRaw(database, async ({ sql }) =>
          loadEvents(sql, await takeWithinBytes(sql, wanted, bounds.batchBytes)),
        )
  return ({ organizationId, coveredEventIds }) =>
    coveredEventIds.flatMap((id) => events.get(organizationScopedKey(organizationId, id)) ?? [])
}

/** The newest event of each digest, then the second newest of each, and so on; each event once. */
const newestInTurn = (
  deliveries: readonly Covering[],
  { perDigest, perBatch }: CoveredBounds,
): Pick<LeasedEvent, 'organizationId' | 'eventId'>[] => {
  const ranked = deliveries.flatMap(({ organizationId, coveredEventIds }) =>
    // Ids begin with the time, so that the newest event has the highest one.
    coveredEventIds
      .toSorted()
      .slice(-perDigest)
      .reverse()
      .map((eventId, rank) => ({ organizationId, eventId, rank })),
  )
  const inTurn = ranked.toSorted((one, other) => one.rank - other.rank)
  const distinct = new Map<string, (typeof ranked)[number]>()
  for (const one of inTurn) {
    const key = organizationScopedKey(one.organizationId, one.eventId)
    if (!distinct.has(key)) distinct.set(key, one)
    if (distinct.size === perBatch) break
  }
  return [...distinct.values()]
}

/**
 * Loads the events that digests cover: the newest of each digest, with digests in turn, within a
 * number and a size for the batch. A digest counts the subjects of those that are not loaded.
 */
import { asWorkerRaw, type Database } from '@status-page/postgres'
import {
  type LeasedEvent,
  loadEvents,
  loadSubjectIds,
  organizationScopedKey,
  takeWithinBytes,
} from './events.ts'
import type { LoadedDelivery } from './load-for-send.ts'

export interface CoveredBounds {
  perDigest: number
  perBatch: number
  /** Size of all payloads of a batch. */
  batchBytes: number
}

/** A digest lists 30 events; those that are muted or replaced by a newer one are not listed. */
const BOUNDS: CoveredBounds = { perDigest: 100, perBatch: 1_000, batchBytes: 16 * 1024 * 1024 }

interface Covering {
  delivery: Pick<LoadedDelivery['delivery'], 'organizationId' | 'coveredEventIds'>
  event: Pick<LeasedEvent, 'aggregateId'>
}

interface CoveredEvents {
  loaded: LeasedEvent[]
  /** Number of further subjects: those that have neither a loaded nor the delivery's own event. */
  omitted: number
}

/** Returns the covered events of a delivery. */
export const loadCoveredEvents = async (
  database: Database,
  deliveries: readonly Covering[],
  bounds: CoveredBounds = BOUNDS,
): Promise<(covering: Covering) => CoveredEvents> => {
  const digests = deliveries.map(({ delivery }) => delivery)
  const wanted = newestInTurn(digests, bounds)
  if (wanted.length === 0) return () => ({ loaded: [], omitted: 0 })
  const { events, subjectIds } = await asWorkerRaw(database, async ({ sql }) => {
    const events = await loadEvents(sql, await takeWithinBytes(sql, wanted, bounds.batchBytes))
    const subjectIds = await loadSubjectIds(sql, unloadedOf(digests, events))
    return { events, subjectIds }
  })
  return ({ delivery: { organizationId, coveredEventIds }, event }) => {
    const keys = coveredEventIds.map((id) => organizationScopedKey(organizationId, id))
    const loaded = keys.flatMap((key) => events.get(key) ?? [])
    const included = new Set([event.aggregateId, ...loaded.map((one) => one.aggregateId)])
    const unloaded = new Set(keys.flatMap((key) => subjectIds.get(key) ?? []))
    return { loaded, omitted: unloaded.difference(included).size }
  }
}

/** Covered events that are not loaded, each once. */
const unloadedOf = (
  digests: readonly Covering['delivery'][],
  events: ReadonlyMap<string, LeasedEvent>,
): Pick<LeasedEvent, 'organizationId' | 'eventId'>[] => {
  const unloaded = new Map<string, Pick<LeasedEvent, 'organizationId' | 'eventId'>>()
  for (const { organizationId, coveredEventIds } of digests) {
    for (const eventId of coveredEventIds) {
      const key = organizationScopedKey(organizationId, eventId)
      if (!events.has(key)) unloaded.set(key, { organizationId, eventId })
    }
  }
  return [...unloaded.values()]
}

/** The newest event of each digest, then the second newest of each, and so on; each event once. */
const newestInTurn = (
  digests: readonly Covering['delivery'][],
  { perDigest, perBatch }: CoveredBounds,
): Pick<LeasedEvent, 'organizationId' | 'eventId'>[] => {
  const ranked = digests.flatMap(({ organizationId, coveredEventIds }) =>
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

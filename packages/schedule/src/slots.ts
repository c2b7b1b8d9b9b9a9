/**
 * Due times of recurring work: pure arithmetic over an id, an interval and a time.
 *
 * A slot is `k × interval + phase`, never "the last run plus the interval": every replica computes
 * the same slots, before and after a restart, and a slot identifies its run (see the key of a
 * result).
 */

/** Number of shards; constant, because the shard of a row is stored with it. */
export const SHARD_COUNT = 256

const FNV_OFFSET = 0x811c9dc5
const FNV_PRIME = 0x01000193
const PHASE_SEED = 0x9e3779b9
const TWO_TO_32 = 2 ** 32

/** Shard 0 to 255 of an id. */
export const shardOf = (id: string): number => hash(id, FNV_OFFSET) % SHARD_COUNT

/** Number in [0, 1) derived from the id, independent of its shard. */
export const fractionOf = (id: string): number => hash(id, PHASE_SEED) / TWO_TO_32

/** Offset of the id's slots within the interval; spreads targets of one interval evenly over it. */
export const phaseMs = (id: string, intervalMs: number): number =>
  Math.floor(fractionOf(id) * intervalMs)

/** Newest slot that is not after `timeMs`. */
export const slotAt = (id: string, intervalMs: number, timeMs: number): number => {
  const phase = phaseMs(id, intervalMs)
  return Math.floor((timeMs - phase) / intervalMs) * intervalMs + phase
}

/** First slot after `timeMs`. */
export const nextSlot = (id: string, intervalMs: number, timeMs: number): number =>
  slotAt(id, intervalMs, timeMs) + intervalMs

/** Maximum shards of one of `live` replicas. */
export const maxShardsPerReplica = (live: number): number =>
  Math.ceil(SHARD_COUNT / Math.max(1, live))

/** FNV-1a with the finalizer of MurmurHash3, since UUIDv7 of the same time differ in few bits. */
const hash = (text: string, seed: number): number => {
  let mixed = seed
  for (let index = 0; index < text.length; index += 1) {
    mixed = Math.imul(mixed ^ text.charCodeAt(index), FNV_PRIME)
  }
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}

/** Item of recurring work in memory: its definition and the state of its schedule. */

/** Item as a service loads it from its tables. */
export interface LoadedItem {
  readonly id: string
  /** `shardOf(id)`. */
  readonly shard: number
  readonly intervalMs: number
}

/** Earlier than every time. */
const NEVER = Number.NEGATIVE_INFINITY

/**
 * Base of the class of an item. A class, because V8 uses dictionary mode for an object that is
 * assembled from others.
 */
export class ScheduleState {
  /** Slot for which the item is armed. */
  armedSlotMs = NEVER
  /** Due time of the last wheel entry. */
  dueMs = NEVER
  /** Newest fired slot. */
  firedSlotMs = NEVER
  /** Slot that waits for a request; a newer slot replaces it. */
  waitingSlotMs: number | null = null
  isInFlight = false
}

export interface ScheduledItem<Loaded extends LoadedItem> extends ScheduleState, LoadedItem {
  organizationId: string
  /** Host and port of the request. */
  host: string
  isUrgent: boolean
  /** Differs after each change of the definition. */
  readonly version: number | string
  /** Replaces the definition after a reload; the state of the schedule stays. */
  update(loaded: Loaded): void
}

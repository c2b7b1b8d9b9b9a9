/**
 * A sliding window of 60 slots: pure arithmetic over counts by slot. A slot that has partly left the
 * window still counts, so no span as long as the window ever holds more than the capacity.
 */

/** Slots before the newest one that may still lie in the window, the partly expired one included. */
export const SLOT_SPAN = 60

export interface Window {
  windowMs: number
  capacity: number
}

/** Counts by slot number, oldest first. */
export interface Slots {
  slots: number[]
  counts: number[]
}

export interface Charge {
  granted: number
  /** What the window holds after the charge. */
  total: number
  /** Until the oldest request leaves; 0 for an empty window. */
  waitMs: number
}

export const slotMsOf = (windowMs: number): number => Math.ceil(windowMs / SLOT_SPAN)

export const slotAt = (windowMs: number, nowMs: number): number =>
  Math.floor(nowMs / slotMsOf(windowMs))

/** Until a slot has left the window. */
export const waitFor = (windowMs: number, slot: number | undefined, nowMs: number): number =>
  slot === undefined ? 0 : Math.max(1, (slot + 1 + SLOT_SPAN) * slotMsOf(windowMs) - nowMs)

export const totalOf = (state: Slots): number => state.counts.reduce((sum, count) => sum + count, 0)

/** Drops what has left the window, then adds as much of the amount as fits. Changes the state. */
export const charge = (
  state: Slots,
  { windowMs, capacity }: Window,
  amount: number,
  nowMs: number,
): Charge => {
  const slot = slotAt(windowMs, nowMs)
  forget(state, slot)
  const held = totalOf(state)
  const granted = Math.max(0, Math.min(amount, capacity - held))
  if (granted > 0) add(state, slot, granted)
  return { granted, total: held + granted, waitMs: waitFor(windowMs, state.slots[0], nowMs) }
}

export const forget = (state: Slots, slot: number): void => {
  const kept = state.slots.findIndex((one) => one >= slot - SLOT_SPAN)
  const gone = kept === -1 ? state.slots.length : kept
  state.slots.splice(0, gone)
  state.counts.splice(0, gone)
}

/** A clock that stepped back charges the newest slot: a window never runs backwards. */
const add = (state: Slots, slot: number, amount: number) => {
  const last = state.slots.length - 1
  if ((state.slots[last] ?? -1) >= slot) {
    state.counts[last] = (state.counts[last] ?? 0) + amount
    return
  }
  state.slots.push(slot)
  state.counts.push(amount)
}

/** Detection of a flapping monitor, whose single changes are not notified. Pure. */

/** Number of changes within the window from which a monitor counts as flapping. */
const FLAP_CHANGES = 4
const FLAP_WINDOW_MS = 30 * 60_000
const FLAP_STABLE_MS = 15 * 60_000

/** Appends a change to the times of the latest changes, oldest first; older ones are dropped. */
export const appendChangeTime = (changedAt: readonly Date[], at: Date): Date[] =>
  [...changedAt, at].slice(-FLAP_CHANGES)

/** Returns true from the fourth quick change until the monitor has been stable for 15 minutes. */
export const isFlapping = (changedAt: readonly Date[], now: Date): boolean => {
  const [first] = changedAt.slice(-FLAP_CHANGES)
  const last = changedAt.at(-1)
  if (first === undefined || last === undefined || changedAt.length < FLAP_CHANGES) return false
  const isQuick = last.getTime() - first.getTime() <= FLAP_WINDOW_MS
  return isQuick && now.getTime() - last.getTime() < FLAP_STABLE_MS
}

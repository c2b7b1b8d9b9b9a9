/** When a monitor that changes again and again is no longer news each time. Pure. */

/** As many changes within this time are no longer news each. */
const FLAP_CHANGES = 4
const FLAP_WINDOW_MS = 30 * 60_000
const FLAP_STABLE_MS = 15 * 60_000

/** The times of the last changes with a new one, oldest first. */
export const withChange = (changedAt: readonly Date[], at: Date): Date[] =>
  [...changedAt, at].slice(-FLAP_CHANGES)

/** Until it has been stable for a while. */
export const isFlapping = (changedAt: readonly Date[], now: Date): boolean => {
  const [first] = changedAt.slice(-FLAP_CHANGES)
  const last = changedAt.at(-1)
  if (first === undefined || last === undefined || changedAt.length < FLAP_CHANGES) return false
  const isQuick = last.getTime() - first.getTime() <= FLAP_WINDOW_MS
  return isQuick && now.getTime() - last.getTime() < FLAP_STABLE_MS
}

/** State of the event stream of this tab: time of the last contact, and whether data are stale. */
import { STALE_AFTER_MS } from './event-connection.ts'

export interface LiveStatus {
  /** Time of the last contact with the service, in ms since the epoch. */
  contactAtMs: number
  isStale: boolean
}

let status: LiveStatus = { contactAtMs: Date.now(), isStale: false }
let timer: ReturnType<typeof setTimeout> | undefined
const listeners = new Set<() => void>()

const set = (next: LiveStatus) => {
  const isNews = next.isStale !== status.isStale || (next.isStale && next !== status)
  status = next
  if (isNews) for (const listener of listeners) listener()
}

/** Records a contact; without another one in time, data are stale. */
export const markContact = (contactAtMs: number): void => {
  clearTimeout(timer)
  const leftMs = contactAtMs + STALE_AFTER_MS - Date.now()
  timer = setTimeout(() => set({ contactAtMs, isStale: true }), Math.max(0, leftMs))
  if (leftMs > 0) set({ contactAtMs, isStale: false })
}

/** Ends the observation, for a tab that follows no stream. */
export const stopObservation = (): void => {
  clearTimeout(timer)
  set({ contactAtMs: status.contactAtMs, isStale: false })
}

export const liveStatus = (): LiveStatus => status

export const subscribeToLiveStatus = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

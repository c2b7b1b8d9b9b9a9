/** Interface of the products that the benchmark compares: each checks the same targets. */
import { setTimeout as delay } from 'node:timers/promises'

export interface PeerOptions {
  /** Addresses to check, one component or monitor each. */
  urls: readonly string[]
  intervalSeconds: number
}

export interface Peer {
  /** Public data of a status page with the first `PAGE_SIZE` targets. */
  readUrl: string
  /** Processor time in µs of the processes that check and store, since their start. */
  checkingMicros(): number
  /** Processor time in µs of the processes that serve the public data, since their start. */
  readingMicros(): number
  stop(): Promise<void>
}

export const PAGE_SIZE = 20

const READY_WITHIN_MS = 60_000
const RETRY_MS = 200

/** Waits until the address responds with 200. */
export const waitForResponse = async (url: string): Promise<void> => {
  const deadlineMs = performance.now() + READY_WITHIN_MS
  for (;;) {
    const isReady = await fetch(url).then(
      ({ ok }) => ok,
      () => false,
    )
    if (isReady) return
    if (performance.now() > deadlineMs) throw new Error(`${url} does not respond with 200`)
    await delay(RETRY_MS)
  }
}

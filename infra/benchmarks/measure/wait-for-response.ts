/** Start of a server in a process of its own. */
import { setTimeout as delay } from 'node:timers/promises'

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

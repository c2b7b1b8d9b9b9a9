/** Calls to the monitor about a component whose event it may not have handled yet. */
import { setTimeout as delay } from 'node:timers/promises'
import { unavailable } from '@status-page/contracts'

const NOT_FOUND = 404

/**
 * Delays between attempts while the event with the definition travels to the monitor: 3 s in all.
 */
const RETRY_DELAYS_MS = [50, 100, 200, 400, 750, 1_500]

/** Repeats a request about an existing component while the monitor's copy is missing or outdated. */
export const untilProjected = async <T>(request: () => Promise<T>): Promise<T> => {
  for (const delayMs of [...RETRY_DELAYS_MS, null]) {
    try {
      return await request()
    } catch (error) {
      if ((error as { status?: number }).status !== NOT_FOUND) throw error
      if (delayMs !== null) await delay(delayMs)
    }
  }
  throw unavailable('The monitor has not received the latest definition yet')
}

/** Renewal of a lease while its work runs: renewals never overlap, and none outlasts the work. */
import { runLoop } from './loop.ts'
import { Wakeup } from './wakeup.ts'

interface LeaseRenewal {
  /** Time before the first renewal, and between two of them. */
  intervalMs: number
  /** Renews the lease; after a failure the next renewal follows at its time. */
  renew(): Promise<unknown>
}

/** Returns the result of the work. */
export const renewWhile = async <Result>(
  { intervalMs, renew }: LeaseRenewal,
  work: () => Promise<Result>,
): Promise<Result> => {
  const wakeup = new Wakeup()
  const ended = new AbortController()
  const { signal } = ended
  const renewLease = async () => {
    await wakeup.wait(intervalMs, signal)
    await runLoop({
      run: () => renew().then(() => intervalMs),
      onError: () => intervalMs,
      wakeup,
      signal,
    })
  }
  const renewals = renewLease()
  try {
    return await work()
  } finally {
    ended.abort()
    await renewals
  }
}

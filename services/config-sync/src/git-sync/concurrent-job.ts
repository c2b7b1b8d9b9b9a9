/**
 * Job that accesses the repositories of several organizations concurrently. Slow accesses have a
 * limit of their own, so that servers without an answer do not delay other organizations.
 */
import { HostQueues, type HostSlot, Wakeup } from '@status-page/concurrency'
import type { Job } from '@status-page/postgres'

const INTERVAL_MS = 5_000
const MAX_IN_FLIGHT = 4
/** Maximum number of slow accesses; together with those in flight the limit of git processes. */
const MAX_SLOW = 32
/** Number of accesses from which organizations whose last access was slow have to wait. */
const MAX_SLOW_AGAIN = 8
const MAX_SLOW_ORGANIZATIONS = 1_000
export const SLOW_AFTER_MS = 3_000

export interface RepositoryWork {
  organizationId: string
  run(signal: AbortSignal): Promise<void>
}

/** Claims due work of an organization that is not excluded; null if nothing is due. */
export type ClaimWork = (excluded: readonly string[]) => Promise<RepositoryWork | null>

interface ConcurrentJob extends Pick<Job, 'name' | 'due'> {
  claim: ClaimWork
  /** Organizations whose last access was slow. */
  slowOrganizations: Set<string>
  /** Age from which an access counts as slow. */
  slowAfterMs: number
}

type QueuedWork = RepositoryWork & { host: string }

export const concurrentJob = (options: ConcurrentJob): Job => {
  const wakeup = new Wakeup()
  return {
    name: options.name,
    intervalMs: INTERVAL_MS,
    due: options.due,
    wake: wakeup.wake,
    async run(signal) {
      const { slowAfterMs } = options
      const maxPerHost = MAX_IN_FLIGHT
      const limits = { maxInFlight: MAX_IN_FLIGHT, maxPerHost, maxSlow: MAX_SLOW, slowAfterMs }
      const queues = new HostQueues<QueuedWork>({ ...limits, maxSlowPerHost: MAX_SLOW })
      const running = new Set<Promise<void>>()
      const failures: unknown[] = []
      let done = 0
      for (;;) {
        const isIdle = running.size === 0
        const slot = signal.aborted ? null : await claimSlot(options, queues)
        if (slot !== null) {
          const task = runInSlot(options, slot, signal)
            .catch((error: unknown) => void failures.push(error))
            .finally(() => {
              queues.release(slot)
              running.delete(task)
              wakeup.wake()
            })
          running.add(task)
          done++
        } else if (isIdle) {
          break
        } else {
          // Work that ended during the claim has set the wake-up, and its slot is claimed next.
          await wakeup.wait(slowAfterMs)
        }
      }
      if (failures.length > 0) throw failures[0]
      return done
    },
  }
}

/** Returns null if no slot is free or nothing is due. */
const claimSlot = async (
  { claim, slowOrganizations }: ConcurrentJob,
  queues: HostQueues<QueuedWork>,
): Promise<HostSlot<QueuedWork> | null> => {
  // Nothing is waiting; the call counts the accesses that became slow separately.
  queues.takeNext(performance.now())
  if (queues.active >= MAX_IN_FLIGHT) return null
  const hasRoom = queues.active + queues.slow < MAX_SLOW_AGAIN
  const work = await claim(hasRoom ? [] : [...slowOrganizations])
  if (work === null) return null
  queues.enqueue({ ...work, host: work.organizationId }, performance.now())
  return queues.takeNext(performance.now())
}

const runInSlot = async (
  { slowAfterMs, slowOrganizations }: ConcurrentJob,
  { item: { organizationId, run } }: HostSlot<QueuedWork>,
  signal: AbortSignal,
): Promise<void> => {
  const startedMs = performance.now()
  try {
    await run(signal)
  } finally {
    const isSlow = performance.now() - startedMs >= slowAfterMs
    slowOrganizations.delete(organizationId)
    if (isSlow && slowOrganizations.size < MAX_SLOW_ORGANIZATIONS) {
      slowOrganizations.add(organizationId)
    }
  }
}

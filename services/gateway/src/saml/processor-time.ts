/** Processor time of a thread, in which it ran and did not wait. */
import type { Worker } from 'node:worker_threads'

/** Zero for a thread that has ended. */
export const processorMsOf = async (worker: Worker): Promise<number> => {
  const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }))
  return (user + system) / 1_000
}

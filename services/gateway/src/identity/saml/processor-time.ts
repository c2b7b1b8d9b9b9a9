/** Processor time of a thread, without the time in which it waits. */
import type { Worker } from 'node:worker_threads'

/** Returns the processor time in ms; zero for a thread that has ended. */
export const processorMsOf = async (worker: Worker): Promise<number> => {
  const { user, system } = await worker.cpuUsage().catch(() => ({ user: 0, system: 0 }))
  return (user + system) / 1_000
}

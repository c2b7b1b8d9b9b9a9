/** Limits, timeouts and loops of concurrent work within one process. */
export { compileCacheVariables, createTaskRunner } from './child-process.ts'
export { type HostQueueLimits, HostQueues, type HostSlot } from './host-queues.ts'
export { KeyedCounts } from './keyed-counts.ts'
export { renewWhile } from './lease-renewal.ts'
export { runLoop } from './loop.ts'
export { Semaphore } from './semaphore.ts'
export { withTimeout } from './timeout.ts'
export { Wakeup } from './wakeup.ts'

/**
 * Recurring work: slots (due times), a timing wheel (timers), shard leases (distribution), and the
 * scheduler that combines them with the items and results of a service.
 */
export type { Cancel, Clock } from './clock.ts'
export { type CronSchedule, cronProblem, cronTimeAfter, cronTimeUntil } from './cron.ts'
export { type Lease, liveLocations } from './leases.ts'
export { isRefused } from './refusals.ts'
export { ResultBuffer, type ResultBufferOptions } from './result-buffer.ts'
export { type LoadedItem, type ScheduledItem, ScheduleState } from './scheduled-item.ts'
export { type ItemSource, ScheduledItems, type WantedItems } from './scheduled-items.ts'
export {
  Scheduler,
  type SchedulerDeps,
  type SchedulerOptions,
  type SkipReason,
} from './scheduler.ts'
export type { Shards } from './shards.ts'
export { fractionOf, nextSlot, SHARD_COUNT, shardOf, slotAt } from './slots.ts'
export { type ErasedItems, eraseDeleted } from './tombstones.ts'
export { createWheel } from './wheel.ts'

/** The bus: how a committed event reaches every registered consumer, exactly once in its database. */
export { type Bus, type BusOptions, createBus } from './bus.ts'
export {
  type CatchUp,
  type EnvelopeOf,
  type EventHandler as Reaction,
  eventHandler as reaction,
} from './event-handler.ts'
export { INTERVALS, type Intervals, scaledIntervals } from './intervals.ts'
export { type MemoryBus, type MemoryBusService as Member, memoryBus } from './memory.ts'
export { lastStated, type OutboxReport as Report } from './outbox-queries.ts'
export {
  catchUpOrganization as organizationUpToDate,
  type ProjectionCatchUpOptions as UpToDateOptions,
  unknownAmong,
} from './projection-catch-up.ts'
export { requeueDead } from './requeue.ts'
export type { BusStatus } from './status.ts'

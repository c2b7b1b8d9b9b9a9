/**
 * Event bus: delivers every committed event to each registered consumer, with exactly one effect in
 * its database.
 */
export { type Bus, type BusOptions, createBus } from './bus.ts'
export {
  type CatchUpOptions,
  type EnvelopeOf,
  type EventHandler,
  eventHandler,
} from './event-handler.ts'
export { DEFAULT_INTERVALS, type Intervals, scaledIntervals } from './intervals.ts'
export { type MemoryBus, type MemoryBusService, memoryBus } from './memory.ts'
export { lastEventTimes, type OutboxReport } from './outbox-queries.ts'
export {
  catchUpAggregates,
  catchUpOrganization,
  type ProjectionCatchUpOptions,
} from './projection-catch-up.ts'
export { requeueDead } from './requeue-quarantined.ts'
export { type BusStatus, busMetricHelp, busMetrics } from './status.ts'

/**
 * Event bus: delivers every committed event to each registered consumer, with exactly one effect in
 * its database.
 */
export { type Bus, createBus } from './bus.ts'
export { type EnvelopeOf, type EventHandler, eventHandler } from './event-handler.ts'
export { scaledIntervals } from './intervals.ts'
export { memoryBus } from './memory.ts'
export { checkNats, type NatsCheck, type NatsFaultKind } from './nats-check.ts'
export { lastEventTimes } from './outbox-queries.ts'
export {
  catchUpAggregates,
  catchUpOrganization,
  type ProjectionCatchUpOptions,
} from './projection-catch-up.ts'
export { uuidFromText } from './pull-consumer.ts'
export { listQuarantined, requeueDead } from './requeue-quarantined.ts'
export { busMetricHelp, busMetrics } from './status.ts'

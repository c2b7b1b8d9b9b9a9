/** The bus: how a committed event reaches every registered consumer, exactly once in its database. */
export { type Bus, type BusOptions, createBus } from './bus.ts'
export { lastStated, type Report } from './feeds.ts'
export { INTERVALS, type Intervals, scaledIntervals } from './intervals.ts'
export { type Member, type MemoryBus, memoryBus } from './memory.ts'
export { type CatchUp, type EnvelopeOf, type Reaction, reaction } from './reaction.ts'
export { requeueDead } from './requeue.ts'
export type { BusStatus } from './status.ts'
export {
  organizationUpToDate,
  type UpToDateOptions,
  unknownAmong,
} from './up-to-date.ts'

/** Meter that records nothing. */
import type { DeliveryMeter } from './metrics.ts'

export const noopMeter: DeliveryMeter = { delivered() {}, deferred() {}, channelFailed() {} }

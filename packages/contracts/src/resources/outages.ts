/**
 * Outages and degradations of components with dependencies. Core decides whether those of a
 * dependency explain them; only those that none explains are notified of.
 */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { Id } from '../scalars.ts'
import { MonitorEventData } from './checks.ts'

const OutageConfirmed = Type.Object({
  /** Event `monitor.down` or `monitor.degraded` that began the outage. */
  outage: Type.Object({ eventId: Id, monitorVersion: Type.Integer(), monitor: MonitorEventData }),
})
export type OutageConfirmed = Static<typeof OutageConfirmed>

/** The outage of the component has no cause among its dependencies. */
export const outageConfirmed = event('outage.confirmed', ['core'], OutageConfirmed)

/** The outage has ended; the event follows the confirmation of the same outage. */
export const outageEnded = event(
  'outage.ended',
  ['core'],
  Type.Object({ outage: Type.Object({ componentId: Id }) }),
)

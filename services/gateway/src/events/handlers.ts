/**
 * Event handler that appends the events of all services to the event log. Versions of one aggregate
 * are appended in their order.
 */
import { eventHandler } from '@status-page/bus'
import {
  type EventSubject,
  eventSubjectOf,
  type SlaTargetEventData,
  streamedEvents,
  toEventPayload,
} from '@status-page/contracts'
import { appendEvent } from './store.ts'

export const eventLogHandler = eventHandler({
  consumer: 'gateway-events',
  isBatched: true,
  on: streamedEvents,
  requiresOrdering: { catchUp: { aggregates: true } },
  async handle(scope, { id: eventId, kind, occurredAt, data }) {
    const subject = eventSubjectOf(data as EventSubject | SlaTargetEventData)
    await appendEvent(scope, { eventId, payload: toEventPayload({ kind, occurredAt, ...subject }) })
  },
})

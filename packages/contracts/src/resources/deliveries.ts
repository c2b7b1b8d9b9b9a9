/** Deliveries: one row per event and destination, with its state and its attempts. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, TimeRange } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { Id, IdParams, Nullable, OneOf, Timestamp } from '../scalars.ts'
import { attemptOutcomes } from './attempt-outcomes.ts'
import { selectableChannelEvents } from './notification-channels.ts'

export const deliveryStates = [
  'pending',
  'sending',
  'delivered',
  'superseded',
  'suppressed',
  'cancelled',
  'exhausted',
] as const
export type DeliveryState = (typeof deliveryStates)[number]

export const deliveryReasons = [
  'rate_limit',
  'retry',
  'endpoint_blocked',
  'channel_blocked',
  'channel_auth',
  'no_transport',
  'newer_update',
  'digest',
  'muted',
  'bad_address',
  'flapping',
  'unsubscribed',
  'disabled',
  'deleted',
  'attempts',
  'expired',
  'blocked_address',
] as const
export type DeliveryReason = (typeof deliveryReasons)[number]

/** Kinds of events that create deliveries. */
export const deliveryEvents = [
  ...selectableChannelEvents,
  'maintenance.reminder',
  'oncall.triggered',
  'oncall.escalated',
  'oncall.acknowledged',
  'oncall.resolved',
  'subscriber.confirmation-requested',
  'account.invited',
  'account.reset-requested',
  'account.verification-requested',
  'account.test-requested',
  'account.warned',
  'destination.ended',
  'vendor-status.changed',
  'location.stale',
  'channel.test',
] as const
export type DeliveryEvent = (typeof deliveryEvents)[number]

export const DeliveryAttempt = Type.Object({
  number: Type.Integer(),
  startedAt: Timestamp,
  durationMs: Type.Integer(),
  outcome: OneOf(attemptOutcomes),
  statusCode: Nullable(Type.Integer()),
  error: Nullable(Type.String()),
})

export const Delivery = Type.Object({
  id: Id,
  eventId: Id,
  event: Type.String(),
  state: OneOf(deliveryStates),
  reason: Nullable(OneOf(deliveryReasons)),
  destination: Type.Object({
    kind: OneOf(['subscriber', 'channel', 'user']),
    id: Id,
    type: Type.String(),
    label: Type.String(),
  }),
  attemptCount: Type.Integer(),
  deferrals: Type.Integer(),
  nextAttemptAt: Nullable(Timestamp),
  estimatedWaitSeconds: Nullable(
    Type.Integer({
      minimum: 0,
      description:
        'Estimated seconds until a pending delivery is sent, according to the rate limits',
    }),
  ),
  supersededBy: Nullable(Id),
  finishedAt: Nullable(Timestamp),
  expiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  attempts: Type.Optional(Type.Array(DeliveryAttempt)),
})
export type Delivery = Static<typeof Delivery>

export const deliveryOperations = operationsOf('notifier', 'deliveries', {
  list: {
    route: 'GET /notifications',
    summary: 'List deliveries',
    description:
      'Log of notifications: one entry per event and destination, for 30 days. `reason` ' +
      'explains the state of an entry.',
    permission: 'notifications:read',
    query: listQuery(['createdAt'], {
      state: Type.Optional(OneOf(deliveryStates)),
      event: Type.Optional(OneOf(deliveryEvents)),
      eventId: Type.Optional(Id),
      channelId: Type.Optional(Id),
      subscriberId: Type.Optional(Id),
      incidentId: Type.Optional({ ...Id, description: 'Incident that the events are about' }),
      ...TimeRange,
    }),
    reply: listOf(Delivery),
  },
  read: {
    route: 'GET /notifications/{id}',
    summary: 'Read a delivery',
    description: 'Includes `attempts`, oldest first.',
    permission: 'notifications:read',
    params: IdParams,
    reply: Delivery,
  },
  replay: {
    route: 'POST /notifications/{id}/replay',
    status: 202,
    summary: 'Replay a delivery',
    description:
      'Queues an `exhausted` or `cancelled` delivery again, with the same `webhook-id`. The ' +
      'delivery is validated again before it is sent; one to an unsubscribed address is ' +
      'not sent. 409 `invalid_state` for other states, for test deliveries of channels and for ' +
      'expired confirmation requests and account mails. Audited as `delivery.replay`.',
    permission: 'notifications:write',
    action: 'UPDATE',
    params: IdParams,
    reply: Delivery,
  },
  replayAll: {
    route: 'POST /notifications/replay',
    status: 202,
    summary: 'Replay exhausted deliveries',
    description:
      'Queues every `exhausted` delivery created since `since` again, optionally only those of ' +
      'one channel or subscriber (400 for an unknown id), and returns their number. ' +
      'Confirmation requests, account mails and test deliveries are not replayed. Audited as ' +
      '`delivery.replay`.',
    permission: 'notifications:write',
    action: 'UPDATE',
    bucket: 'bulk',
    body: Type.Object({
      since: Timestamp,
      channelId: Type.Optional(Id),
      subscriberId: Type.Optional(Id),
    }),
    reply: Type.Object({ replayed: Type.Integer({ minimum: 0 }) }),
  },
})

/** Times of the last notification of subscribers, in batches, at most once a minute. */
export const deliverySummarised = event(
  'delivery.summarised',
  ['notifier'],
  Type.Object({
    subscribers: Type.Array(Type.Object({ id: Id, lastNotifiedAt: Timestamp }), { maxItems: 1000 }),
  }),
)

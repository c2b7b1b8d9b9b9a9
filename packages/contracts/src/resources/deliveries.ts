/** Deliveries: one row per event and destination, with everything that happened to it. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, TimeRange } from '../listing.ts'
import { operation } from '../operation.ts'
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

/** Kinds of events that make deliveries. */
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
  'account.warned',
  'destination.ended',
  'channel.test',
] as const
export type DeliveryEvent = (typeof deliveryEvents)[number]

export const Attempt = Type.Object({
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
      description: 'Of what waits: until its turn, at the speed that the limits allow',
    }),
  ),
  supersededBy: Nullable(Id),
  finishedAt: Nullable(Timestamp),
  expiresAt: Timestamp,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  attempts: Type.Optional(Type.Array(Attempt)),
})
export type Delivery = Static<typeof Delivery>

export const deliveryOperations = {
  list: operation({
    id: 'deliveries.list',
    service: 'notifier',
    method: 'GET',
    path: '/notifications',
    status: 200,
    summary: 'The delivery log',
    description:
      'One entry an event and destination, kept 30 days. `reason` says why an entry waits ' +
      'or ended.',
    permission: 'notifications:read',
    query: listQuery(['createdAt'], {
      state: Type.Optional(OneOf(deliveryStates)),
      event: Type.Optional(OneOf(deliveryEvents)),
      eventId: Type.Optional(Id),
      channelId: Type.Optional(Id),
      subscriberId: Type.Optional(Id),
      ...TimeRange,
    }),
    reply: listOf(Delivery),
  }),
  read: operation({
    id: 'deliveries.read',
    service: 'notifier',
    method: 'GET',
    path: '/notifications/{id}',
    status: 200,
    summary: 'One delivery with its attempts',
    description: '`attempts` come with it, oldest first.',
    permission: 'notifications:read',
    params: IdParams,
    reply: Delivery,
  }),
  replay: operation({
    id: 'deliveries.replay',
    service: 'notifier',
    method: 'POST',
    path: '/notifications/{id}/replay',
    status: 202,
    summary: 'Send a delivery again',
    description:
      'Puts an `exhausted` or `cancelled` delivery back in line, with the same `webhook-id`; it is ' +
      'looked at once more before it goes, so one to an address that has unsubscribed ends again. ' +
      'Anything else is 409 `invalid_state`, as is a question or account mail that has expired. ' +
      'Audited as `delivery.replay`.',
    permission: 'notifications:write',
    action: 'UPDATE',
    params: IdParams,
    reply: Delivery,
  }),
  replayAll: operation({
    id: 'deliveries.replayAll',
    service: 'notifier',
    method: 'POST',
    path: '/notifications/replay',
    status: 202,
    summary: 'Send all that were given up again',
    description:
      'Puts every `exhausted` delivery made since then back in line, of one channel or subscriber ' +
      'where one is named (400 where it is unknown), and says how many. Questions and account mail ' +
      'stay as they are. Audited as `delivery.replay`.',
    permission: 'notifications:write',
    action: 'UPDATE',
    bucket: 'bulk',
    body: Type.Object({
      since: Timestamp,
      channelId: Type.Optional(Id),
      subscriberId: Type.Optional(Id),
    }),
    reply: Type.Object({ replayed: Type.Integer({ minimum: 0 }) }),
  }),
}

/** When subscribers were last told something, at most once a minute, each event about one batch. */
export const deliverySummarised = event({
  kind: 'delivery.summarised',
  producers: ['notifier'],
  selectableBy: 'none',
  data: Type.Object({
    subscribers: Type.Array(Type.Object({ id: Id, lastNotifiedAt: Timestamp }), { maxItems: 1000 }),
  }),
})

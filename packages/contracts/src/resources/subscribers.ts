/** Subscribers: who asked to be told, of what, and whether they still want it. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search } from '../listing.ts'
import { operation } from '../operation.ts'
import {
  Email,
  HttpUrl,
  Id,
  IdParams,
  Nullable,
  OneOf,
  Phone,
  Success,
  TaggedUnion,
  Timestamp,
} from '../scalars.ts'

export const subscriberTypes = ['email', 'sms', 'webhook'] as const
export type SubscriberType = (typeof subscriberTypes)[number]

export const subscriberEvents = [
  'incident.created',
  'incident.updated',
  'incident.resolved',
  'maintenance.scheduled',
  'maintenance.started',
  'maintenance.completed',
] as const
export type SubscriberEvent = (typeof subscriberEvents)[number]

export const subscriberStatuses = ['unconfirmed', 'active', 'unsubscribed', 'quarantined'] as const
export const subscriberSources = ['self_signup', 'api', 'import'] as const
export const subscriberStatusReasons = [
  'link',
  'sms_stop',
  'hard_bounce',
  'mailbox_full',
  'complaint',
  'invalid_number',
  'unreachable',
  'endpoint_gone',
  'endpoint_failing',
] as const
export type SubscriberStatusReason = (typeof subscriberStatusReasons)[number]

const MAX_SCOPE = 500

const preferences = {
  componentIds: Type.Optional(
    Type.Array(Id, {
      maxItems: MAX_SCOPE,
      uniqueItems: true,
      description: 'Empty: all components',
    }),
  ),
  events: Type.Optional(
    Type.Array(OneOf(subscriberEvents), {
      maxItems: subscriberEvents.length,
      uniqueItems: true,
      description: 'Empty: all six',
    }),
  ),
  statusPageId: Type.Optional(Nullable(Id)),
}

/** 16 to 256 printable ASCII characters; never returned. */
const WebhookSecret = Type.String({
  minLength: 16,
  maxLength: 256,
  pattern: '^[\\x21-\\x7e]+$',
  writeOnly: true,
})

export const NewSubscriber = TaggedUnion('type', [
  Type.Object({ type: Type.Literal('email'), email: Email, ...preferences }),
  Type.Object({ type: Type.Literal('sms'), phone: Phone, ...preferences }),
  Type.Object({
    type: Type.Literal('webhook'),
    webhookUrl: HttpUrl,
    webhookSecret: Type.Optional(WebhookSecret),
    ...preferences,
  }),
])
export type NewSubscriber = Static<typeof NewSubscriber>

export const Subscriber = Type.Object({
  id: Id,
  type: OneOf(subscriberTypes),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  webhookUrl: Nullable(Type.String()),
  hasWebhookSecret: Type.Boolean(),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(subscriberEvents)),
  statusPageId: Nullable(Id),
  status: OneOf(subscriberStatuses),
  statusReason: Nullable(OneOf(subscriberStatusReasons)),
  source: OneOf(subscriberSources),
  confirmedAt: Nullable(Timestamp),
  unsubscribedAt: Nullable(Timestamp),
  lastNotifiedAt: Nullable(Timestamp),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Subscriber = Static<typeof Subscriber>

export const subscriberOperations = {
  list: operation({
    id: 'subscribers.list',
    service: 'core',
    method: 'GET',
    path: '/subscribers',
    status: 200,
    summary: 'List subscribers',
    description: '`search` looks at the address.',
    permission: 'subscribers:read',
    query: listQuery(['createdAt', 'email', 'type'], {
      type: Type.Optional(OneOf(subscriberTypes)),
      status: Type.Optional(OneOf(subscriberStatuses)),
      source: Type.Optional(OneOf(subscriberSources)),
      componentId: Type.Optional(Id),
      statusPageId: Type.Optional(Id),
      search: Search,
    }),
    reply: listOf(Subscriber),
  }),
  create: operation({
    id: 'subscribers.create',
    service: 'core',
    method: 'POST',
    path: '/subscribers',
    status: 201,
    summary: 'Add a subscriber',
    description:
      'Active at once: whoever adds it vouches for the consent. No `componentIds` and no ' +
      '`events` mean all. The same type, address and page again is 409 `duplicate`; one ' +
      'that had unsubscribed becomes `unconfirmed` and is asked. Event: ' +
      '`subscriber.created`.',
    permission: 'subscribers:write',
    body: NewSubscriber,
    reply: Subscriber,
  }),
  read: operation({
    id: 'subscribers.read',
    service: 'core',
    method: 'GET',
    path: '/subscribers/{id}',
    status: 200,
    summary: 'Read a subscriber',
    permission: 'subscribers:read',
    params: IdParams,
    reply: Subscriber,
  }),
  remove: operation({
    id: 'subscribers.remove',
    service: 'core',
    method: 'DELETE',
    path: '/subscribers/{id}',
    status: 200,
    summary: 'Remove a subscriber',
    description: 'Removes the record and drops what waits for it. Event: `subscriber.deleted`.',
    permission: 'subscribers:write',
    params: IdParams,
    reply: Success,
  }),
}

/** What the notifier keeps. Secrets travel sealed: `webhook` and `mail-token`, record = subscriber id. */
export const SubscriberFact = Type.Object({
  id: Id,
  type: OneOf(subscriberTypes),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  webhookUrl: Nullable(Type.String()),
  webhookSecret: Nullable(Type.String()),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(subscriberEvents)),
  statusPageId: Nullable(Id),
  status: OneOf(subscriberStatuses),
  /** Sealed token of the manage and unsubscribe links. */
  manageToken: Nullable(Type.String()),
})
export type SubscriberFact = Static<typeof SubscriberFact>

const about = Type.Object({ subscriber: SubscriberFact })

export const subscriberCreated = event({
  kind: 'subscriber.created',
  producers: ['core'],
  selectableBy: 'nobody',
  data: about,
})
export const subscriberUpdated = event({
  kind: 'subscriber.updated',
  producers: ['core'],
  selectableBy: 'nobody',
  data: about,
})
export const subscriberDeleted = event({
  kind: 'subscriber.deleted',
  producers: ['core'],
  selectableBy: 'nobody',
  data: about,
})

const ended = Type.Object({
  subscriberId: Id,
  reason: OneOf(subscriberStatusReasons),
  /** When the provider or the reader said so. */
  at: Timestamp,
})

/** The notifier's facts about its own aggregate, the destination. */
export const subscriberUnsubscribed = event({
  kind: 'subscriber.unsubscribed',
  producers: ['notifier'],
  selectableBy: 'nobody',
  data: ended,
})
export const subscriberQuarantined = event({
  kind: 'subscriber.quarantined',
  producers: ['notifier'],
  selectableBy: 'nobody',
  data: ended,
})

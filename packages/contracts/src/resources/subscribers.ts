/** Subscribers: who asked to be told, of what, and whether they still want it. */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import {
  documented,
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

/** Of what somebody wants to be told. */
export const subscriberChoices = {
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
}

const preferences = { ...subscriberChoices, statusPageId: Type.Optional(Nullable(Id)) }

/** 16 to 256 printable ASCII characters; never returned. */
export const WebhookSecret = Type.String({
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

export const SubscriberPatch = patchOf(
  {
    componentIds: Type.Required(Type.Object(subscriberChoices)).properties.componentIds,
    events: Type.Required(Type.Object(subscriberChoices)).properties.events,
    webhookUrl: HttpUrl,
    webhookSecret: WebhookSecret,
    status: OneOf(['active']),
  },
  ['componentIds', 'events', 'status'],
)
export type SubscriberPatch = Static<typeof SubscriberPatch>

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

export const subscriberFormats = ['json', 'csv'] as const

export const MAX_CSV_BYTES = 5 * 1024 * 1024
export const MAX_CSV_ROWS = 10_000
export const MAX_CSV_ERRORS = 100

const ImportForm = Type.Object({
  file: documented(
    Type.String({
      contentMediaType: 'text/csv',
      description:
        'UTF-8, commas, a header with `type` and any of `email`, `phone`, `componentIds` (ids ' +
        'separated by `;`); types email and sms. At most 5 MiB, 10,000 rows of 10 KiB.',
    }),
    // Clients send a string of this format as a part with a file name.
    { format: 'binary', minLength: 1 },
  ),
  skipDuplicates: Type.Optional(
    Type.Boolean({ default: true, description: 'Leave addresses alone that are there' }),
  ),
  updateDuplicates: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Replace the component scope of addresses that are there instead',
    }),
  ),
  dryRun: Type.Optional(Type.Boolean({ default: false, description: 'Report, store nothing' })),
})

export const ImportReport = Type.Object({
  total: Type.Integer(),
  imported: Type.Integer(),
  updated: Type.Integer(),
  skipped: Type.Integer(),
  failed: Type.Integer(),
  dryRun: Type.Boolean(),
  errors: Type.Array(
    Type.Object({
      row: Type.Integer({ description: 'Line of the file; line 1 is the header' }),
      field: Type.String(),
      message: Type.String(),
    }),
    { maxItems: MAX_CSV_ERRORS, description: 'Of the first 100 rows that failed' },
  ),
})
export type ImportReport = Static<typeof ImportReport>

export const subscriberOperations = {
  list: operation({
    id: 'subscribers.list',
    service: 'core',
    method: 'GET',
    path: '/subscribers',
    status: 200,
    summary: 'List or export subscribers',
    description:
      '`search` looks at the address. `format=csv` ignores the paging and gives up to 100,000 ' +
      'subscribers as a file, oldest first, which `POST /subscribers/import` takes back.',
    permission: 'subscribers:read',
    query: listQuery(['createdAt', 'email', 'type'], {
      type: Type.Optional(OneOf(subscriberTypes)),
      status: Type.Optional(OneOf(subscriberStatuses)),
      source: Type.Optional(OneOf(subscriberSources)),
      componentId: Type.Optional(Id),
      statusPageId: Type.Optional(Id),
      search: Search,
      format: OneOf(subscriberFormats, { default: 'json' }),
    }),
    reply: listOf(Subscriber),
    produces: ['application/json', 'text/csv'],
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
      'that had unsubscribed becomes `unconfirmed` and is asked, and so is a new one whose ' +
      'address unsubscribed on another page. Several subscriptions of one type and address ' +
      'get one message per event. Event: `subscriber.created`.',
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
  update: operation({
    id: 'subscribers.update',
    service: 'core',
    method: 'PATCH',
    path: '/subscribers/{id}',
    status: 200,
    summary: 'Change a subscriber',
    description:
      '`webhookUrl` and `webhookSecret` belong to type webhook, which always has a URL; an old ' +
      'secret signs along for 24 hours, null removes it. `status` takes a quarantined one back to `active`, any other ' +
      'change of it is 409 `invalid_state`. Event: `subscriber.updated`, unless nothing changed.',
    permission: 'subscribers:write',
    params: IdParams,
    body: SubscriberPatch,
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
  import: operation({
    id: 'subscribers.import',
    service: 'core',
    method: 'POST',
    path: '/subscribers/import',
    status: 200,
    summary: 'Import subscribers from a CSV file',
    description:
      'Good rows are stored in one transaction, bad ones reported by their line. ' +
      '`updateDuplicates` alone turns `skipDuplicates` off; without both, duplicates fail. ' +
      'Addresses that have unsubscribed on any page are skipped, and one that is active on a ' +
      'page is a duplicate in a row without a page. A file of `GET /subscribers?format=csv` ' +
      'goes in as it is; its rows that are not active are skipped. Events: ' +
      '`subscriber.imported`, for many rows each.',
    permission: 'subscribers:write',
    bucket: 'import',
    body: ImportForm,
    bodyType: 'multipart',
    bodyLimit: MAX_CSV_BYTES,
    idempotencyKey: false,
    reply: ImportReport,
  }),
}

/** What the notifier keeps. Secrets travel sealed: `webhook` and `mail-token`, record = subscriber id. */
export const SubscriberEventData = Type.Object({
  id: Id,
  type: OneOf(subscriberTypes),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  webhookUrl: Nullable(Type.String()),
  webhookSecret: Nullable(Type.String()),
  /** Signs along until then. */
  previousWebhookSecret: Type.Optional(
    Nullable(Type.Object({ sealed: Type.String(), until: Timestamp })),
  ),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(subscriberEvents)),
  statusPageId: Nullable(Id),
  status: OneOf(subscriberStatuses),
  /** Sealed token of the manage and unsubscribe links. */
  manageToken: Nullable(Type.String()),
})
export type SubscriberEventData = Static<typeof SubscriberEventData>

const eventData = Type.Object({ subscriber: SubscriberEventData })

export const subscriberCreated = event({
  kind: 'subscriber.created',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
export const subscriberUpdated = event({
  kind: 'subscriber.updated',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})
/** What a file brought or changed, in batches: one event a subscriber would be ten thousand. */
export const subscriberImported = event({
  kind: 'subscriber.imported',
  producers: ['core'],
  selectableBy: 'none',
  data: Type.Object({
    subscribers: Type.Array(
      Type.Object({ subscriber: SubscriberEventData, version: Type.Integer() }),
      {
        maxItems: 200,
      },
    ),
  }),
})
export const subscriberDeleted = event({
  kind: 'subscriber.deleted',
  producers: ['core'],
  selectableBy: 'none',
  data: eventData,
})

export const confirmationPurposes = ['confirm', 'manage'] as const
export type ConfirmationPurpose = (typeof confirmationPurposes)[number]

/**
 * Somebody asked to subscribe this address: it is asked to confirm, or, if it is subscribed already, sent
 * its manage link. The secrets travel sealed: `mail-token` with record = the event's aggregate, and
 * `webhook` with record = the subscriber's id.
 */
export const subscriberConfirmationRequested = event({
  kind: 'subscriber.confirmation-requested',
  producers: ['core'],
  selectableBy: 'none',
  data: Type.Object({
    purpose: OneOf(confirmationPurposes),
    subscriber: SubscriberEventData,
    subscriberVersion: Type.Integer(),
    /** Of the page that was subscribed to; null: the whole organization. */
    pageName: Nullable(Type.String()),
    /** The token of the link; for SMS the code. */
    sealedToken: Type.String(),
    /** Signs the question to a webhook. */
    webhookSecret: Nullable(Type.String()),
    expiresAt: Timestamp,
  }),
})
export type ConfirmationRequested = Static<(typeof subscriberConfirmationRequested)['data']>

const statusChange = Type.Object({
  subscriberId: Id,
  reason: OneOf(subscriberStatusReasons),
  /** When the provider or the reader said so. */
  at: Timestamp,
})

/** The notifier's facts about its own aggregate, the destination. */
export const subscriberUnsubscribed = event({
  kind: 'subscriber.unsubscribed',
  producers: ['notifier'],
  selectableBy: 'none',
  data: statusChange,
})
export const subscriberQuarantined = event({
  kind: 'subscriber.quarantined',
  producers: ['notifier'],
  selectableBy: 'none',
  data: statusChange,
})

/** The phone of a subscriber that STOP had ended said START: it wants to be told again. */
export const subscriberResubscribed = event({
  kind: 'subscriber.resubscribed',
  producers: ['notifier'],
  selectableBy: 'none',
  data: Type.Object({ subscriberId: Id, at: Timestamp }),
})

/**
 * Subscribers: recipients of notifications outside the organization, with their scope and consent.
 */
import { type Static, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery, Search } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { patchSchemaOf } from '../patch.ts'
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
  withDocumentedKeywords,
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

/** Components and events that a subscriber selects. */
export const subscriptionFilters = {
  componentIds: Type.Optional(
    Type.Array(Id, {
      maxItems: MAX_SCOPE,
      uniqueItems: true,
      description: 'Selected components; empty: all components',
    }),
  ),
  events: Type.Optional(
    Type.Array(OneOf(subscriberEvents), {
      maxItems: subscriberEvents.length,
      uniqueItems: true,
      description: 'Selected events; empty: all six',
    }),
  ),
}

const preferences = { ...subscriptionFilters, statusPageId: Type.Optional(Nullable(Id)) }

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

export const SubscriberPatch = patchSchemaOf(
  {
    componentIds: Type.Required(Type.Object(subscriptionFilters)).properties.componentIds,
    events: Type.Required(Type.Object(subscriptionFilters)).properties.events,
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
  incidentId: Nullable({
    ...Id,
    description: 'Incident whose updates alone the subscriber receives',
  }),
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
  file: withDocumentedKeywords(
    Type.String({
      contentMediaType: 'text/csv',
      description:
        'CSV file in UTF-8, separated by commas, with a header of `type` and any of `email`, ' +
        '`phone`, `componentIds` (ids separated by `;`); types email and sms. At most 5 MiB and ' +
        '10,000 rows of 10 KiB',
    }),
    // Clients send a string of this format as a part with a file name.
    { format: 'binary', minLength: 1 },
  ),
  skipDuplicates: Type.Optional(
    Type.Boolean({ default: true, description: 'Skip existing addresses' }),
  ),
  updateDuplicates: Type.Optional(
    Type.Boolean({
      default: false,
      description: 'Replace the component scope of existing addresses',
    }),
  ),
  dryRun: Type.Optional(
    Type.Boolean({ default: false, description: 'Report without storing anything' }),
  ),
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
    { maxItems: MAX_CSV_ERRORS, description: 'Errors of the first 100 failed rows' },
  ),
})
export type ImportReport = Static<typeof ImportReport>

export const subscriberOperations = operationsOf('core', 'subscribers', {
  list: {
    route: 'GET /subscribers',
    summary: 'List or export subscribers',
    description:
      '`search` applies to the address. `format=csv` ignores the paging and returns up to ' +
      '100,000 subscribers as a file, oldest first, which `POST /subscribers/import` accepts.',
    permission: 'subscribers:read',
    query: listQuery(['createdAt', 'email', 'type'], {
      type: Type.Optional(OneOf(subscriberTypes)),
      status: Type.Optional(OneOf(subscriberStatuses)),
      source: Type.Optional(OneOf(subscriberSources)),
      componentId: Type.Optional(Id),
      statusPageId: Type.Optional(Id),
      incidentId: Type.Optional(Id),
      search: Search,
      format: OneOf(subscriberFormats, { default: 'json' }),
    }),
    reply: listOf(Subscriber),
    produces: ['application/json', 'text/csv'],
  },
  create: {
    route: 'POST /subscribers',
    status: 201,
    summary: 'Create a subscriber',
    description:
      'The subscriber is active at once; the caller is responsible for the consent. Without ' +
      '`componentIds` or `events` all of them are selected. 409 `duplicate` for the same type, ' +
      'address and page; an unsubscribed subscriber becomes `unconfirmed` instead and receives ' +
      'a confirmation request, and so does a new one whose address has unsubscribed on another ' +
      'page. An address with several subscriptions of one type receives one message per event. ' +
      'Emits `subscriber.created`.',
    permission: 'subscribers:write',
    body: NewSubscriber,
    reply: Subscriber,
  },
  read: {
    route: 'GET /subscribers/{id}',
    summary: 'Read a subscriber',
    permission: 'subscribers:read',
    params: IdParams,
    reply: Subscriber,
  },
  update: {
    route: 'PATCH /subscribers/{id}',
    summary: 'Update a subscriber',
    description:
      '`webhookUrl` and `webhookSecret` are for type webhook, which requires a URL. After a ' +
      'change of the secret, signatures with the previous one are added for 24 hours; null ' +
      'removes the secret. `status` can only change from quarantined to `active`, and not after ' +
      'a spam complaint (409 `invalid_state` otherwise). Emits `subscriber.updated` if anything ' +
      'changed.',
    permission: 'subscribers:write',
    params: IdParams,
    body: SubscriberPatch,
    reply: Subscriber,
  },
  remove: {
    route: 'DELETE /subscribers/{id}',
    summary: 'Delete a subscriber',
    description: 'Its pending deliveries are cancelled. Emits `subscriber.deleted`.',
    permission: 'subscribers:write',
    params: IdParams,
    reply: Success,
  },
  import: {
    route: 'POST /subscribers/import',
    summary: 'Import subscribers from a CSV file',
    description:
      'Stores valid rows in one transaction and reports invalid ones with their line. ' +
      '`updateDuplicates` alone turns `skipDuplicates` off; without both, duplicates fail. ' +
      'Addresses that have unsubscribed on any page are skipped; an address that is active on ' +
      'a page is a duplicate of a row without a page. A file from `GET ' +
      '/subscribers?format=csv` is accepted unchanged; its inactive rows and those of one incident are skipped. Emits ' +
      '`subscriber.imported`, once for many rows.',
    permission: 'subscribers:write',
    bucket: 'import',
    body: ImportForm,
    bodyType: 'multipart',
    bodyLimit: MAX_CSV_BYTES,
    idempotencyKey: false,
    reply: ImportReport,
  },
})

/**
 * Subscriber as the notifier stores it. Secrets are encrypted: purposes `webhook` and `mail-token`,
 * record = subscriber id.
 */
export const SubscriberEventData = Type.Object({
  id: Id,
  type: OneOf(subscriberTypes),
  email: Nullable(Type.String()),
  phone: Nullable(Type.String()),
  webhookUrl: Nullable(Type.String()),
  webhookSecret: Nullable(Type.String()),
  /** Previous secret, with which webhooks are also signed until `until`. */
  previousWebhookSecret: Type.Optional(
    Nullable(Type.Object({ sealed: Type.String(), until: Timestamp })),
  ),
  componentIds: Type.Array(Id),
  events: Type.Array(OneOf(subscriberEvents)),
  statusPageId: Nullable(Id),
  /** Incident whose updates alone the subscriber receives. */
  incidentId: Nullable(Id),
  status: OneOf(subscriberStatuses),
  /** Encrypted token of the manage and unsubscribe links. */
  manageToken: Nullable(Type.String()),
})
export type SubscriberEventData = Static<typeof SubscriberEventData>

const eventData = Type.Object({ subscriber: SubscriberEventData })

export const subscriberCreated = event('subscriber.created', ['core'], eventData)
export const subscriberUpdated = event('subscriber.updated', ['core'], eventData)
/**
 * Subscribers that an import created or changed, in batches: one event per subscriber would be ten
 * thousand events.
 */
export const subscriberImported = event(
  'subscriber.imported',
  ['core'],
  Type.Object({
    subscribers: Type.Array(
      Type.Object({ subscriber: SubscriberEventData, version: Type.Integer() }),
      {
        maxItems: 200,
      },
    ),
  }),
)
export const subscriberDeleted = event('subscriber.deleted', ['core'], eventData)

export const confirmationPurposes = ['confirm', 'manage'] as const
export type ConfirmationPurpose = (typeof confirmationPurposes)[number]

/**
 * Emitted for a sign-up: a new address receives a confirmation request, a subscribed one its manage
 * link. Secrets are encrypted: `mail-token` with record = the event's aggregate, and `webhook` with
 * record = the subscriber's id.
 */
export const subscriberConfirmationRequested = event(
  'subscriber.confirmation-requested',
  ['core'],
  Type.Object({
    purpose: OneOf(confirmationPurposes),
    subscriber: SubscriberEventData,
    subscriberVersion: Type.Integer(),
    /** Names of the incident and the page of the sign-up; null: the whole organization. */
    pageName: Nullable(Type.String()),
    /** Token of the link; the code for SMS. */
    sealedToken: Type.String(),
    /** Secret that signs the confirmation request to a webhook. */
    webhookSecret: Nullable(Type.String()),
    expiresAt: Timestamp,
  }),
)
export type ConfirmationRequested = Static<(typeof subscriberConfirmationRequested)['data']>

const statusChange = Type.Object({
  subscriberId: Id,
  reason: OneOf(subscriberStatusReasons),
  /** Time reported by the provider, or time of the reader's request. */
  at: Timestamp,
})

/** Emitted by the notifier for its own aggregate, the destination. */
export const subscriberUnsubscribed = event('subscriber.unsubscribed', ['notifier'], statusChange)
export const subscriberQuarantined = event('subscriber.quarantined', ['notifier'], statusChange)

/** Emitted when a number that had sent STOP sends START. */
export const subscriberResubscribed = event(
  'subscriber.resubscribed',
  ['notifier'],
  Type.Object({ subscriberId: Id, at: Timestamp }),
)

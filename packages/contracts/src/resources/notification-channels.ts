/** Notification channels: ways out that an organization owns, what goes through them, and their inbound hooks. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import {
  Email,
  HttpUrl,
  Id,
  IdParams,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  Phone,
  Success,
  TaggedUnion,
  Timestamp,
} from '../scalars.ts'
import { attemptOutcomes } from './attempt-outcomes.ts'
import { impacts } from './incidents.ts'

export const channelTypes = ['email', 'sms', 'slack', 'discord', 'teams', 'webhook'] as const
export type ChannelType = (typeof channelTypes)[number]

export const channelEvents = [
  'incident.created',
  'incident.updated',
  'incident.resolved',
  'incident.reopened',
  'maintenance.scheduled',
  'maintenance.started',
  'maintenance.updated',
  'maintenance.completed',
  'monitor.down',
  'monitor.recovered',
  'monitor.degraded',
] as const
export type ChannelEvent = (typeof channelEvents)[number]

/** Kinds that a channel gets only where its `events` name them. */
export const namedChannelEvents = [
  'sla.at-risk',
  'sla.breached',
  'sla.recovered',
  'sla.response-breached',
  'sla.resolution-breached',
  'certificate.expiring',
  'incident.update-overdue',
  'incident-draft.created',
  'incident-draft.publishing',
] as const
export type NamedChannelEvent = (typeof namedChannelEvents)[number]

export const selectableChannelEvents = [...channelEvents, ...namedChannelEvents] as const
export type SelectableChannelEvent = (typeof selectableChannelEvents)[number]

export const channelStatuses = ['active', 'paused', 'disabled'] as const
export type ChannelStatus = (typeof channelStatuses)[number]

export const webhookMethods = ['POST', 'PUT', 'PATCH'] as const

const MAX_SCOPE = 500
const MAX_RECIPIENTS = 100
const MAX_HEADERS = 50
const MAX_HEADER_VALUE = 4096
const MAX_SECRET = 256
const MAX_MESSAGE_TEMPLATE = 4000
export const MAX_TEMPLATE_BYTES = 64 * 1024
/** Placeholders of one template. */
export const MAX_TEMPLATE_PLACEHOLDERS = 250

const recipientsOf = <Address extends TSchema>(address: Address) =>
  Type.Optional(
    Type.Array(address, {
      maxItems: MAX_RECIPIENTS,
      uniqueItems: true,
      default: [],
      description: 'Written to directly, whatever subscribers there are',
    }),
  )

const BodyTemplate = Nullable(LongText(MAX_TEMPLATE_BYTES))
const Headers = Type.Record(Type.String(), Type.String({ maxLength: MAX_HEADER_VALUE }), {
  maxProperties: MAX_HEADERS,
  default: {},
  description: 'Sent along; values are secrets',
})

/** What each kind is told to be made. Secrets are named in `channelSecrets`. */
export const channelConfigs = {
  email: Type.Object({
    smtpHost: Type.String({ minLength: 1, maxLength: 253, description: 'A public mail server' }),
    smtpPort: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, default: 587 })),
    secure: Type.Optional(Type.Boolean({ default: false, description: 'TLS from the start' })),
    username: Type.Optional(Nullable(OneLine(MAX_SECRET))),
    password: Type.Optional(Nullable(OneLine(MAX_SECRET))),
    fromAddress: Email,
    fromName: Type.Optional(Nullable(OneLine(100))),
    recipients: recipientsOf(Email),
    bounceSecret: Type.Optional(
      Nullable(Type.String({ minLength: 16, maxLength: MAX_SECRET, pattern: '^[\\x21-\\x7e]+$' })),
    ),
  }),
  sms: Type.Object({
    accountSid: Type.String({ pattern: '^AC[0-9a-f]{32}$' }),
    authToken: OneLine(MAX_SECRET),
    fromNumber: Phone,
    recipients: recipientsOf(Phone),
  }),
  slack: Type.Object({
    webhookUrl: HttpUrl,
    channel: Type.Optional(Nullable(OneLine(80))),
  }),
  discord: Type.Object({ webhookUrl: HttpUrl }),
  teams: Type.Object({ webhookUrl: HttpUrl }),
  webhook: Type.Object({
    url: HttpUrl,
    method: Type.Optional(OneOf(webhookMethods, { default: 'POST' })),
    headers: Type.Optional(Headers),
    bodyTemplate: Type.Optional(BodyTemplate),
  }),
} as const satisfies Record<ChannelType, TSchema>

/** As they are kept: with every field. */
export type ChannelConfigs = {
  [Kind in ChannelType]: Required<Static<(typeof channelConfigs)[Kind]>>
}

/** Sealed at rest, `***REDACTED***` on every way out; `headers.*` is each value of the map. */
export const channelSecrets: Record<ChannelType, readonly string[]> = {
  email: ['password', 'bounceSecret'],
  sms: ['authToken'],
  slack: ['webhookUrl'],
  discord: ['webhookUrl'],
  teams: ['webhookUrl'],
  webhook: ['headers.*'],
}

/** The fields of every kind: what a reply shows, and what a PATCH may name; the kind judges them. */
const AnyConfig = Type.Object({
  smtpHost: Type.Optional(Nullable(Type.String())),
  smtpPort: Type.Optional(Nullable(Type.Integer())),
  secure: Type.Optional(Nullable(Type.Boolean())),
  username: Type.Optional(Nullable(Type.String())),
  password: Type.Optional(Nullable(Type.String())),
  fromAddress: Type.Optional(Nullable(Type.String())),
  fromName: Type.Optional(Nullable(Type.String())),
  recipients: Type.Optional(
    Nullable(Type.Array(Type.String(), { maxItems: MAX_RECIPIENTS, uniqueItems: true })),
  ),
  bounceSecret: Type.Optional(Nullable(Type.String())),
  accountSid: Type.Optional(Nullable(Type.String())),
  authToken: Type.Optional(Nullable(Type.String())),
  fromNumber: Type.Optional(Nullable(Type.String())),
  webhookUrl: Type.Optional(Nullable(Type.String())),
  channel: Type.Optional(Nullable(Type.String())),
  url: Type.Optional(Nullable(Type.String())),
  method: Type.Optional(Nullable(Type.String())),
  headers: Type.Optional(
    Nullable(Type.Record(Type.String(), Type.String(), { maxProperties: MAX_HEADERS })),
  ),
  bodyTemplate: Type.Optional(Nullable(Type.String())),
})
export type AnyChannelConfig = Static<typeof AnyConfig>

const choices = {
  events: Type.Array(OneOf(selectableChannelEvents), {
    maxItems: selectableChannelEvents.length,
    uniqueItems: true,
    default: [],
    description:
      'Empty: the eleven of incidents, maintenances and monitors but `incident.update-overdue`; ' +
      'the others only by name',
  }),
  componentIds: Type.Array(Id, {
    maxItems: MAX_SCOPE,
    uniqueItems: true,
    default: [],
    description: 'Empty: all components; a parent covers its children',
  }),
  impacts: Type.Array(OneOf(impacts), {
    maxItems: impacts.length,
    uniqueItems: true,
    default: [],
    description: 'Empty: all; looks at incident events only',
  }),
  isEnabled: Type.Boolean({ default: true }),
  messageTemplate: Nullable(LongText(MAX_MESSAGE_TEMPLATE)),
}

const optionalChoices = {
  events: Type.Optional(choices.events),
  componentIds: Type.Optional(choices.componentIds),
  impacts: Type.Optional(choices.impacts),
  isEnabled: Type.Optional(choices.isEnabled),
  messageTemplate: Type.Optional(choices.messageTemplate),
}

const variantOf = <Kind extends ChannelType>(kind: Kind) =>
  Type.Object({
    type: Type.Literal(kind),
    name: OneLine(100),
    config: channelConfigs[kind],
    ...optionalChoices,
  })

export const NewChannel = TaggedUnion('type', [
  variantOf('email'),
  variantOf('sms'),
  variantOf('slack'),
  variantOf('discord'),
  variantOf('teams'),
  variantOf('webhook'),
])
export type NewChannel = Static<typeof NewChannel>

export const ChannelPatch = patchOf({ name: OneLine(100), config: AnyConfig, ...choices }, [
  'name',
  'config',
  'events',
  'componentIds',
  'impacts',
  'isEnabled',
])
export type ChannelPatch = Static<typeof ChannelPatch>

const Warnings = Type.Array(Type.String(), {
  description: 'Names in the templates that stand for nothing',
})

export const Channel = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(channelTypes),
  config: AnyConfig,
  events: Type.Array(OneOf(selectableChannelEvents)),
  componentIds: Type.Array(Id),
  impacts: Type.Array(OneOf(impacts)),
  isEnabled: Type.Boolean(),
  messageTemplate: Nullable(Type.String()),
  status: OneOf(channelStatuses, {
    description: 'paused: the login is refused, deliveries wait; disabled: the endpoint is gone',
  }),
  lastDeliveryAt: Nullable(Timestamp),
  lastDeliveryStatus: Nullable(OneOf(attemptOutcomes)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  warnings: Type.Optional(Warnings),
})
export type Channel = Static<typeof Channel>

export const channelTestErrors = [
  'blocked',
  'dns_error',
  'connect_error',
  'tls_error',
  'protocol_error',
  'timeout',
  'auth_failed',
  'rejected',
  'rate_limited',
] as const
export type ChannelTestError = (typeof channelTestErrors)[number]

export const ChannelTest = Type.Object({
  success: Type.Boolean(),
  deliveryId: Id,
  statusCode: Nullable(Type.Integer()),
  responseTime: Type.Integer({ description: 'Milliseconds' }),
  error: Nullable(OneOf(channelTestErrors)),
  message: Nullable(
    Type.String({ description: "The provider's own code, where it is a known one" }),
  ),
})
export type ChannelTest = Static<typeof ChannelTest>

export const ChannelPreview = Type.Object({
  contentType: Type.String(),
  subject: Nullable(Type.String()),
  body: Type.String({ description: 'What would go out: the text, or the exact body' }),
  html: Nullable(Type.String()),
  warnings: Warnings,
})
export type ChannelPreview = Static<typeof ChannelPreview>

export const notificationChannelOperations = {
  list: operation({
    id: 'notification-channels.list',
    service: 'notifier',
    method: 'GET',
    path: '/notification-channels',
    status: 200,
    summary: 'List notification channels',
    description: 'Secrets read as `***REDACTED***`.',
    permission: 'notifications:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {}),
    reply: listOf(Channel),
  }),
  create: operation({
    id: 'notification-channels.create',
    service: 'notifier',
    method: 'POST',
    path: '/notification-channels',
    status: 201,
    summary: 'Add a notification channel',
    description:
      'It gets every event that `events`, `componentIds` and `impacts` let through, also those ' +
      'with `notifySubscribers` false. The oldest enabled e-mail and SMS channel also carries ' +
      "the subscribers' messages. `messageTemplate` and `bodyTemplate` take `{{event_type}}`, " +
      '`{{incident.id}}`, `{{incident.title}}`, `{{incident.status}}`, `{{timestamp}}`, ' +
      '`{{status}}`, `{{title}}`, `{{impact}}`, `{{components}}`, `{{message}}` and `{{url}}`; ' +
      'other names become empty and are listed in `warnings`. A template has at most ' +
      `${MAX_TEMPLATE_PLACEHOLDERS} placeholders. Addresses must be public.`,
    permission: 'notifications:write',
    body: NewChannel,
    reply: Channel,
  }),
  preview: operation({
    id: 'notification-channels.preview',
    service: 'notifier',
    method: 'POST',
    path: '/notification-channels/preview',
    status: 200,
    summary: 'Show what a channel would send',
    description:
      'Renders an example of the event with the templates given. Nothing is sent or kept.',
    permission: 'notifications:read',
    action: 'VIEW',
    body: Type.Object({
      type: OneOf(channelTypes),
      messageTemplate: Type.Optional(choices.messageTemplate),
      bodyTemplate: Type.Optional(BodyTemplate),
      event: Type.Optional(OneOf(selectableChannelEvents, { default: 'incident.created' })),
    }),
    reply: ChannelPreview,
  }),
  read: operation({
    id: 'notification-channels.read',
    service: 'notifier',
    method: 'GET',
    path: '/notification-channels/{id}',
    status: 200,
    summary: 'Read a notification channel',
    permission: 'notifications:read',
    params: IdParams,
    reply: Channel,
  }),
  update: operation({
    id: 'notification-channels.update',
    service: 'notifier',
    method: 'PATCH',
    path: '/notification-channels/{id}',
    status: 200,
    summary: 'Change a notification channel',
    description:
      '`type` stays. `config` merges by field, maps and arrays are replaced whole; the marker ' +
      '`***REDACTED***` keeps a secret. Another host or URL needs the stored secrets again. ' +
      'Another `config`, or `isEnabled` true, makes a paused or disabled channel active again. ' +
      'Switched off it gets nothing, and what waits for it is dropped.',
    permission: 'notifications:write',
    params: IdParams,
    body: ChannelPatch,
    reply: Channel,
  }),
  remove: operation({
    id: 'notification-channels.remove',
    service: 'notifier',
    method: 'DELETE',
    path: '/notification-channels/{id}',
    status: 200,
    summary: 'Remove a notification channel',
    description: 'Drops what waits for it; the log keeps what was sent.',
    permission: 'notifications:write',
    params: IdParams,
    reply: Success,
  }),
  test: operation({
    id: 'notification-channels.test',
    service: 'notifier',
    method: 'POST',
    path: '/notification-channels/{id}/test',
    status: 200,
    summary: 'Send a test message',
    description:
      'At once, whatever the filters. `recipient` is for e-mail and SMS; without it the first of ' +
      'the recipients gets it, and a channel without any needs one (400). The answer is 200 also ' +
      'where the far end refused: `success` tells. The log keeps it as event `channel.test`.',
    permission: 'notifications:write',
    action: 'UPDATE',
    params: IdParams,
    body: Type.Object({ recipient: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })) }),
    reply: ChannelTest,
  }),
}

/** What others need of a channel that they may name. */
export const ChannelEventData = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(channelTypes),
})
export type ChannelEventData = Static<typeof ChannelEventData>

const eventData = Type.Object({ channel: ChannelEventData })

export const channelCreated = event({
  kind: 'notification-channel.created',
  producers: ['notifier'],
  selectableBy: 'none',
  data: eventData,
})
export const channelUpdated = event({
  kind: 'notification-channel.updated',
  producers: ['notifier'],
  selectableBy: 'none',
  data: eventData,
})
export const channelDeleted = event({
  kind: 'notification-channel.deleted',
  producers: ['notifier'],
  selectableBy: 'none',
  data: eventData,
})

/** Any text: an id that is none is refused as one that is unknown. */
const HookParams = Type.Object({ channelId: Type.String({ maxLength: 64 }) })
const HOOK_BODY_LIMIT = 1024 * 1024
const TwilioReply = Type.String({ description: 'An empty `<Response/>`' })

export const bounceTypes = ['hard', 'soft', 'complaint'] as const

/** Judged by the hook itself, after the secret. */
export const Bounce = Type.Object({
  type: OneOf(bounceTypes),
  email: Email,
  reason: Type.Optional(Type.String({ maxLength: 1000 })),
})
export type Bounce = Static<typeof Bounce>

/** What providers tell us; each is proved by a signature or a secret of the channel. */
export const channelHookOperations = {
  sms: operation({
    id: 'hooks.sms',
    service: 'notifier',
    method: 'POST',
    path: '/hooks/sms/{channelId}',
    status: 200,
    summary: 'Take a reply to a text message',
    description:
      "Twilio's form, proved by X-Twilio-Signature over the public URL. STOP and its kin end all " +
      'messages to that number, START, YES and UNSTOP resume them.',
    permission: 'signature',
    bucket: 'webhook',
    params: HookParams,
    bodyType: 'raw-form',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: TwilioReply,
    produces: ['text/xml'],
  }),
  smsStatus: operation({
    id: 'hooks.smsStatus',
    service: 'notifier',
    method: 'POST',
    path: '/hooks/sms-status/{channelId}',
    status: 200,
    summary: 'Take the delivery report of a text message',
    description: 'As a reply. A report moves the status of a message forward only.',
    permission: 'signature',
    bucket: 'webhook',
    params: HookParams,
    bodyType: 'raw-form',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: TwilioReply,
    produces: ['text/xml'],
  }),
  bounce: operation({
    id: 'hooks.bounce',
    service: 'notifier',
    method: 'POST',
    path: '/hooks/bounce/{channelId}',
    status: 202,
    summary: 'Report a mail that came back',
    description:
      'Body: `{"type":"hard","email":"a@example.com","reason":"…"}`, `reason` optional. Proved by ' +
      "the channel's `bounceSecret` in X-Hook-Token. `hard` and `complaint` end the " +
      'address at once, `soft` after three times in seven days.',
    permission: 'signature',
    bucket: 'webhook',
    params: HookParams,
    bodyType: 'raw',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: Success,
  }),
}

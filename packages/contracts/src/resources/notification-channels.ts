/**
 * Notification channels: an organization's transports (mail, SMS, chat, webhook), their filters,
 * and their inbound webhooks.
 */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { type AnyConfig, anyConfigOf, type StoredConfigs } from '../any-config.ts'
import { event, kindsOf } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { connectionErrors } from '../outbound-errors.ts'
import { optional, patchSchemaOf } from '../patch.ts'
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
import { monitorEvents } from './checks.ts'
import { impacts, incidentEvents } from './incidents.ts'
import { maintenanceEvents } from './maintenances.ts'
import { slaEvents } from './sla.ts'

export const channelEvents = kindsOf([...incidentEvents, ...maintenanceEvents, ...monitorEvents])
export type ChannelEvent = (typeof channelEvents)[number]

/** Event kinds that a channel receives only when its `events` list them. */
export const namedChannelEvents = [
  ...kindsOf(slaEvents),
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
/** Maximum number of placeholders in one template. */
export const MAX_TEMPLATE_PLACEHOLDERS = 250

const recipientsOf = <Address extends TSchema>(address: Address) =>
  Type.Optional(
    Type.Array(address, {
      maxItems: MAX_RECIPIENTS,
      uniqueItems: true,
      default: [],
      description: "Recipients of the channel's own messages, in addition to subscribers",
    }),
  )

const BodyTemplate = Nullable({
  ...LongText(MAX_TEMPLATE_BYTES),
  description: '`{{message}}` is the Markdown as written',
})
const Headers = Type.Record(Type.String(), Type.String({ maxLength: MAX_HEADER_VALUE }), {
  maxProperties: MAX_HEADERS,
  default: {},
  description: 'Additional request headers; values are secrets',
})

/** Configuration of each channel type with its name. Fields of one name have the same JSON type. */
export const channelConfigs = {
  email: Type.Object(
    {
      smtpHost: Type.String({
        minLength: 1,
        maxLength: 253,
        description: 'Host name of a mail server with a public address',
      }),
      smtpPort: Type.Optional(Type.Integer({ minimum: 1, maximum: 65_535, default: 587 })),
      secure: Type.Optional(
        Type.Boolean({ default: false, description: 'True: TLS from the start of the connection' }),
      ),
      username: Type.Optional(Nullable(OneLine(MAX_SECRET))),
      password: Type.Optional(Nullable(OneLine(MAX_SECRET))),
      fromAddress: Email,
      fromName: Type.Optional(Nullable(OneLine(100))),
      recipients: recipientsOf(Email),
      bounceSecret: Type.Optional(
        Nullable(
          Type.String({ minLength: 16, maxLength: MAX_SECRET, pattern: '^[\\x21-\\x7e]+$' }),
        ),
      ),
    },
    { title: 'E-mail' },
  ),
  sms: Type.Object(
    {
      accountSid: Type.String({ pattern: '^AC[0-9a-f]{32}$' }),
      authToken: OneLine(MAX_SECRET),
      fromNumber: Phone,
      recipients: recipientsOf(Phone),
    },
    { title: 'SMS' },
  ),
  slack: Type.Object(
    {
      webhookUrl: HttpUrl,
      channel: Type.Optional(Nullable(OneLine(80))),
    },
    { title: 'Slack' },
  ),
  discord: Type.Object({ webhookUrl: HttpUrl }, { title: 'Discord' }),
  teams: Type.Object({ webhookUrl: HttpUrl }, { title: 'Microsoft Teams' }),
  webhook: Type.Object(
    {
      url: HttpUrl,
      method: Type.Optional(OneOf(webhookMethods, { default: 'POST' })),
      headers: Type.Optional(Headers),
      bodyTemplate: Type.Optional(BodyTemplate),
    },
    { title: 'Webhook' },
  ),
} as const

export type ChannelType = keyof typeof channelConfigs
export const channelTypes = Object.keys(channelConfigs) as ChannelType[]

/** Proper name of a channel type, which is the same in every language. */
export const channelTypeName = (type: ChannelType): string => channelConfigs[type].title ?? type

/** Fields that are encrypted at rest and returned as `***REDACTED***`; `headers.*`: each value. */
export const channelSecrets: Record<ChannelType, readonly string[]> = {
  email: ['password', 'bounceSecret'],
  sms: ['authToken'],
  slack: ['webhookUrl'],
  discord: ['webhookUrl'],
  teams: ['webhookUrl'],
  webhook: ['headers.*'],
}

/** Configurations as stored, with every field. */
export type ChannelConfigs = StoredConfigs<typeof channelConfigs>

/** Configuration of any type, as stored or in part. */
export type AnyChannelConfig = AnyConfig<typeof channelConfigs>
const AnyChannelConfig = anyConfigOf(channelConfigs)

/** Fields of every channel besides its name, type and configuration. */
export const channelChoices = {
  events: Type.Array(OneOf(selectableChannelEvents), {
    maxItems: selectableChannelEvents.length,
    uniqueItems: true,
    default: [],
    description:
      'Selected events; empty: the events of incidents, maintenances and monitors except ' +
      '`incident.update-overdue`. Other events must be selected by name',
  }),
  componentIds: Type.Array(Id, {
    maxItems: MAX_SCOPE,
    uniqueItems: true,
    default: [],
    description: 'Selected components, including their children; empty: all components',
  }),
  impacts: Type.Array(OneOf(impacts), {
    maxItems: impacts.length,
    uniqueItems: true,
    default: [],
    description: 'Selected impacts, for incident events only; empty: all impacts',
  }),
  isEnabled: Type.Boolean({ default: true }),
  messageTemplate: Nullable({
    ...LongText(MAX_MESSAGE_TEMPLATE),
    description: '`{{message}}` is in the markup of a chat, and without marks in e-mail and SMS',
  }),
}

const variantOf = <Kind extends ChannelType>(kind: Kind) =>
  Type.Object({
    type: Type.Literal(kind),
    name: OneLine(100),
    config: channelConfigs[kind],
    ...optional(channelChoices),
  })

type ChannelVariant = { [Kind in ChannelType]: ReturnType<typeof variantOf<Kind>> }[ChannelType]

export const NewChannel = TaggedUnion('type', channelTypes.map(variantOf) as ChannelVariant[])
export type NewChannel = Static<typeof NewChannel>

export const ChannelPatch = patchSchemaOf(
  { name: OneLine(100), config: AnyChannelConfig, ...channelChoices },
  ['name', 'config', 'events', 'componentIds', 'impacts', 'isEnabled'],
)
export type ChannelPatch = Static<typeof ChannelPatch>

const Warnings = Type.Array(Type.String(), {
  description: 'Unknown placeholders in the templates',
})

export const Channel = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(channelTypes),
  config: AnyChannelConfig,
  events: Type.Array(OneOf(selectableChannelEvents)),
  componentIds: Type.Array(Id),
  impacts: Type.Array(OneOf(impacts)),
  isEnabled: Type.Boolean(),
  managedByConfig: Type.Boolean(),
  messageTemplate: Nullable(Type.String()),
  status: OneOf(channelStatuses, {
    description:
      'paused: the credentials were rejected, and deliveries wait; disabled: the endpoint no ' +
      'longer exists',
  }),
  lastDeliveryAt: Nullable(Timestamp),
  lastDeliveryStatus: Nullable(OneOf(attemptOutcomes)),
  createdAt: Timestamp,
  updatedAt: Timestamp,
  warnings: Type.Optional(Warnings),
})
export type Channel = Static<typeof Channel>

export const channelTestErrors = [
  ...connectionErrors,
  'auth_failed',
  'rejected',
  'rate_limited',
] as const
export type ChannelTestError = (typeof channelTestErrors)[number]

export const ChannelTest = Type.Object({
  success: Type.Boolean(),
  deliveryId: Id,
  statusCode: Nullable(Type.Integer()),
  responseTime: Type.Integer({ description: 'Duration of the test in milliseconds' }),
  error: Nullable(OneOf(channelTestErrors)),
  message: Nullable(
    Type.String({ description: 'Error code of the provider, if it is a known one' }),
  ),
})
export type ChannelTest = Static<typeof ChannelTest>

export const ChannelPreview = Type.Object({
  contentType: Type.String(),
  subject: Nullable(Type.String()),
  body: Type.String({ description: 'Rendered message: the text, or the exact body' }),
  html: Nullable(Type.String()),
  warnings: Warnings,
})
export type ChannelPreview = Static<typeof ChannelPreview>

export const notificationChannelOperations = operationsOf('notifier', 'notification-channels', {
  list: {
    route: 'GET /notification-channels',
    summary: 'List notification channels',
    description: 'Secrets are returned as `***REDACTED***`.',
    permission: 'notifications:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {}),
    reply: listOf(Channel),
  },
  create: {
    route: 'POST /notification-channels',
    status: 201,
    summary: 'Create a notification channel',
    description:
      'The channel receives every event that matches `events`, `componentIds` and `impacts`, ' +
      'also with `notifySubscribers` false. The oldest enabled e-mail channel and SMS channel ' +
      'also send the messages to subscribers. Placeholders in `messageTemplate` and ' +
      '`bodyTemplate`: `{{event_type}}`, `{{incident.id}}`, `{{incident.title}}`, ' +
      '`{{incident.status}}`, `{{timestamp}}`, `{{status}}`, `{{title}}`, `{{impact}}`, ' +
      '`{{components}}`, `{{message}}` and `{{url}}`; unknown ones are replaced by an empty ' +
      `text and listed in \`warnings\`. At most ${MAX_TEMPLATE_PLACEHOLDERS} placeholders per ` +
      'template. Hosts must have public addresses.',
    permission: 'notifications:write',
    body: NewChannel,
    reply: Channel,
  },
  preview: {
    route: 'POST /notification-channels/preview',
    summary: 'Preview the message of a channel',
    description:
      'Renders an example of the event with the templates in the body. Nothing is sent or stored.',
    permission: 'notifications:read',
    action: 'VIEW',
    body: Type.Object({
      type: OneOf(channelTypes),
      messageTemplate: Type.Optional(channelChoices.messageTemplate),
      bodyTemplate: Type.Optional(BodyTemplate),
      event: Type.Optional(OneOf(selectableChannelEvents, { default: 'incident.created' })),
    }),
    reply: ChannelPreview,
  },
  read: {
    route: 'GET /notification-channels/{id}',
    summary: 'Read a notification channel',
    permission: 'notifications:read',
    params: IdParams,
    reply: Channel,
  },
  update: {
    route: 'PATCH /notification-channels/{id}',
    summary: 'Update a notification channel',
    description:
      '`type` cannot change. `config` is merged by field, while maps and arrays are replaced; ' +
      'the marker `***REDACTED***` keeps a stored secret. A new host or URL requires the ' +
      'stored secrets again. A change of `config`, or `isEnabled` true, reactivates a paused ' +
      'or disabled channel. With `isEnabled` false the channel receives no events, and its ' +
      'pending deliveries are cancelled.',
    permission: 'notifications:write',
    params: IdParams,
    body: ChannelPatch,
    reply: Channel,
  },
  remove: {
    route: 'DELETE /notification-channels/{id}',
    summary: 'Delete a notification channel',
    description: 'Its pending deliveries are cancelled; the delivery log remains.',
    permission: 'notifications:write',
    params: IdParams,
    reply: Success,
  },
  test: {
    route: 'POST /notification-channels/{id}/test',
    summary: 'Send a test message',
    description:
      'Sends a message at once, regardless of the filters. `recipient` is for e-mail and SMS ' +
      'channels; default: the first recipient of the channel (400 if it has none). Returns 200 ' +
      'for a failed delivery too; see `success`. The delivery log contains it as event ' +
      '`channel.test`.',
    permission: 'notifications:write',
    action: 'UPDATE',
    params: IdParams,
    body: Type.Object({ recipient: Type.Optional(Type.String({ minLength: 1, maxLength: 254 })) }),
    reply: ChannelTest,
  },
})

/** Channel as other services store it, to validate references. */
export const ChannelEventData = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(channelTypes),
})
export type ChannelEventData = Static<typeof ChannelEventData>

const eventData = Type.Object({ channel: ChannelEventData })

export const channelCreated = event('notification-channel.created', ['notifier'], eventData)
export const channelUpdated = event('notification-channel.updated', ['notifier'], eventData)
export const channelDeleted = event('notification-channel.deleted', ['notifier'], eventData)

/** The schema accepts any text, so that a malformed id and an unknown id get the same error. */
const HookParams = Type.Object({ channelId: Type.String({ maxLength: 64 }) })
const HOOK_BODY_LIMIT = 1024 * 1024
const TwilioReply = Type.String({ description: 'An empty `<Response/>`' })

export const bounceTypes = ['hard', 'soft', 'complaint'] as const

/** The handler validates the body, after it has verified the secret. */
export const Bounce = Type.Object({
  type: OneOf(bounceTypes),
  email: Email,
  reason: Type.Optional(Type.String({ maxLength: 1000 })),
})
export type Bounce = Static<typeof Bounce>

/**
 * Webhooks for delivery reports of providers; each is authenticated by a signature or a secret of
 * the channel.
 */
export const channelHookOperations = operationsOf('notifier', 'hooks', {
  sms: {
    route: 'POST /hooks/sms/{channelId}',
    summary: 'Receive a reply to a text message',
    description:
      'Webhook for Twilio, authenticated by X-Twilio-Signature over the public URL. STOP and ' +
      'its synonyms end all messages to the number; START, YES and UNSTOP resume them.',
    permission: 'signature',
    bucket: 'webhook',
    params: HookParams,
    bodyType: 'raw-form',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: TwilioReply,
    produces: ['text/xml'],
  },
  smsStatus: {
    route: 'POST /hooks/sms-status/{channelId}',
    summary: 'Receive the delivery report of a text message',
    description:
      'Webhook for Twilio, authenticated like a reply. A report with an earlier status than ' +
      'the stored one is ignored.',
    permission: 'signature',
    bucket: 'webhook',
    params: HookParams,
    bodyType: 'raw-form',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: TwilioReply,
    produces: ['text/xml'],
  },
  bounce: {
    route: 'POST /hooks/bounce/{channelId}',
    status: 202,
    summary: 'Report a bounced mail',
    description:
      'Body: `{"type":"hard","email":"a@example.com","reason":"…"}`, `reason` optional. ' +
      "Authenticated by the channel's `bounceSecret` in X-Hook-Token. `hard` and `complaint` " +
      'suppress the address at once, `soft` after three reports in seven days.',
    permission: 'signature',
    bucket: 'webhook',
    params: HookParams,
    bodyType: 'raw',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: Success,
  },
})

/**
 * Audience previews: the recipients of an incident before it is published. Nothing is stored or
 * sent.
 */
import { type Static, Type } from '@sinclair/typebox'
import { operationsOf } from '../operation.ts'
import { Id } from '../scalars.ts'
import { INCIDENT_BODY_LIMIT, IncidentEventData, NewIncident } from './incidents.ts'
import { channelTypes } from './notification-channels.ts'
import { subscriberTypes } from './subscribers.ts'

/**
 * Results for a destination that has selected the event, in the order in which they are checked.
 */
export const audienceStates = [
  'sent',
  'muted',
  'unconfirmed',
  'quarantined',
  'disabled',
  'unsubscribed',
] as const
export type AudienceState = (typeof audienceStates)[number]

const Count = Type.Integer({ minimum: 0 })

const Counts = Type.Object({
  sent: {
    ...Count,
    description: 'Recipients that would be notified, at once or when the rate limits allow it',
  },
  muted: { ...Count, description: 'Not notified, because all components of the event are muted' },
  unconfirmed: { ...Count, description: 'Recipients whose address is not confirmed' },
  quarantined: { ...Count, description: 'Recipients whose address does not work' },
  disabled: {
    ...Count,
    description: 'Channels that are disabled, or whose endpoint no longer exists',
  },
  unsubscribed: { ...Count, description: 'Phone numbers that have sent STOP to the SMS channel' },
})
export type AudienceCounts = Static<typeof Counts>

const countsOf = <const Types extends readonly string[]>(types: Types) =>
  Type.Object(
    Object.fromEntries(types.map((type) => [type, Counts])) as Record<Types[number], typeof Counts>,
  )

export const AudiencePreview = Type.Object({
  event: Type.Literal('incident.created'),
  statusPageIds: Type.Array(Id, { description: 'Published pages that would show the incident' }),
  subscribers: countsOf(subscriberTypes),
  channels: Type.Object(countsOf(channelTypes).properties, {
    description: 'Number of destinations; an e-mail or SMS channel has one per recipient',
  }),
  sent: { ...Count, description: 'Total number of messages' },
  deferred: {
    ...Count,
    description: 'Messages that the rate limits delay by more than a minute',
  },
  waiting: { ...Count, description: 'Messages of the organization that are queued before these' },
  estimatedSeconds: {
    ...Count,
    description: 'Estimated seconds until the last message is sent, according to the rate limits',
  },
})
export type AudiencePreview = Static<typeof AudiencePreview>

export const incidentPreviewOperations = operationsOf('core', 'incidents', {
  previewAudience: {
    route: 'POST /incidents/preview-audience',
    summary: 'Preview the audience of an incident',
    description:
      'Takes the body of `POST /incidents`; stores and sends nothing. Counts, by type of ' +
      'destination, the messages that would be sent and those that would not, with the reason, ' +
      'and estimates the duration under the rate limits. Destinations that have not selected ' +
      '`incident.created`, or have another scope, are not counted.',
    permission: 'incidents:write',
    isSafe: true,
    bodyLimit: INCIDENT_BODY_LIMIT,
    body: NewIncident,
    reply: AudiencePreview,
  },
})

export const audienceOperations = operationsOf('notifier', 'audiences', {
  preview: {
    route: 'POST /internal/audiences/preview',
    base: 'root',
    summary: 'Count the audience of an event',
    permission: 'incidents:write',
    callers: ['core'],
    body: Type.Object({ incident: IncidentEventData }),
    reply: AudiencePreview,
  },
})

/** Audiences: whom news would reach, asked before anything is published. Nothing is stored and nobody is told. */
import { type Static, Type } from '@sinclair/typebox'
import { operation } from '../operation.ts'
import { Id } from '../scalars.ts'
import { INCIDENT_BODY_LIMIT, IncidentEventData, NewIncident } from './incidents.ts'
import { channelTypes } from './notification-channels.ts'
import { subscriberTypes } from './subscribers.ts'

/** What becomes of a destination that wants the event, in the order in which it is judged. */
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
  sent: { ...Count, description: 'Would get it, at once or when the limits let it' },
  muted: { ...Count, description: 'All components of the event are muted: nobody gets it' },
  unconfirmed: { ...Count, description: 'Have not confirmed their address' },
  quarantined: { ...Count, description: 'Their address does not work' },
  disabled: { ...Count, description: 'Of channels: switched off, or their endpoint is gone' },
  unsubscribed: { ...Count, description: 'The number sent STOP to the channel that carries it' },
})
export type AudienceCounts = Static<typeof Counts>

const countsOf = <const Types extends readonly string[]>(types: Types) =>
  Type.Object(
    Object.fromEntries(types.map((type) => [type, Counts])) as Record<Types[number], typeof Counts>,
  )

export const AudiencePreview = Type.Object({
  event: Type.Literal('incident.created'),
  statusPageIds: Type.Array(Id, { description: 'Published pages that would show it' }),
  subscribers: countsOf(subscriberTypes),
  channels: Type.Object(countsOf(channelTypes).properties, {
    description: 'Destinations: an e-mail or SMS channel has one for each recipient',
  }),
  sent: { ...Count, description: 'Messages that would go out, of all kinds' },
  deferred: {
    ...Count,
    description: 'Of these, what the limits hold back beyond the first minute',
  },
  waiting: { ...Count, description: 'Messages of the organization that would go before them' },
  estimatedSeconds: {
    ...Count,
    description: 'Until the last message has its turn, at the speed that the limits allow',
  },
})
export type AudiencePreview = Static<typeof AudiencePreview>

export const incidentPreviewOperations = {
  previewAudience: operation({
    id: 'incidents.previewAudience',
    service: 'core',
    method: 'POST',
    path: '/incidents/preview-audience',
    status: 200,
    summary: 'Say whom an incident would reach',
    description:
      'Takes the body of `POST /incidents`, stores nothing and tells nobody: counts by kind of ' +
      'destination what would be sent and what would not, and why, and estimates how long the ' +
      'limits take. Who has not selected `incident.created`, or has another scope, is not counted.',
    permission: 'incidents:write',
    bodyLimit: INCIDENT_BODY_LIMIT,
    body: NewIncident,
    reply: AudiencePreview,
  }),
}

export const audienceOperations = {
  preview: operation({
    id: 'audiences.preview',
    service: 'notifier',
    method: 'POST',
    path: '/internal/audiences/preview',
    base: 'root',
    status: 200,
    summary: 'Count whom an event would reach',
    permission: 'incidents:write',
    callers: ['core'],
    body: Type.Object({ incident: IncidentEventData }),
    reply: AudiencePreview,
  }),
}

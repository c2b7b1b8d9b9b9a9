/**
 * Alert intakes: webhooks through which an integration reports alerts, and the components of each
 * alert.
 */
import { type Static, Type } from '@sinclair/typebox'
import { DEFAULT_TITLE_TEMPLATE, MAX_ALERT_PLACEHOLDERS } from '../alert-templates.ts'
import { event } from '../event.ts'
import { operationsOf } from '../operation.ts'
import { optional } from '../patch.ts'
import {
  Id,
  IdParams,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  OneTimeSecret,
  Success,
  Timestamp,
} from '../scalars.ts'
import { Impact, MAX_INCIDENT_TITLE } from './incidents.ts'

const MAX_ROUTES = 50
const MAX_LABELS = 20
const MAX_LABEL_VALUE = 512
const MAX_ROUTE_COMPONENTS = 50
const MAX_PUBLISH_MINUTES = 1440
const HOOK_BODY_LIMIT = 1024 * 1024
export const MAX_SIGNAL_MESSAGE = 4000
const MAX_MESSAGE_TEMPLATE = 2000

export const AlertRoute = Type.Object({
  matchLabels: Type.Record(
    Type.String({ pattern: '^[a-zA-Z_][a-zA-Z0-9_.-]{0,127}$' }),
    Type.String({ maxLength: MAX_LABEL_VALUE }),
    {
      maxProperties: MAX_LABELS,
      additionalProperties: false,
      description: 'Label values that an alert must have, all of them; `{}` matches every alert',
    },
  ),
  componentIds: Type.Array(Id, {
    minItems: 1,
    maxItems: MAX_ROUTE_COMPONENTS,
    uniqueItems: true,
  }),
  impact: Impact,
})
export type AlertRoute = Static<typeof AlertRoute>

const PLACEHOLDERS =
  'Placeholders: `{{components}}`, `{{impact}}`, `{{integration}}`, `{{summary}}` and ' +
  '`{{description}}` of the alert, and `{{labels.<name>}}` for labels that all alerts of ' +
  `the group share; at most ${MAX_ALERT_PLACEHOLDERS}.`

const settings = {
  publishAfterMinutes: Type.Union(
    [Type.Integer({ minimum: 1, maximum: MAX_PUBLISH_MINUTES }), Type.Null()],
    {
      default: null,
      description:
        'Minutes until a draft is published automatically; null: only a person publishes it',
    },
  ),
  routes: Type.Array(AlertRoute, {
    maxItems: MAX_ROUTES,
    default: [],
    description: 'The first matching route applies; an alert without a match is dropped',
  }),
  titleTemplate: Type.String({
    ...OneLine(MAX_INCIDENT_TITLE),
    default: DEFAULT_TITLE_TEMPLATE,
    description: `Title of the incident. ${PLACEHOLDERS}`,
  }),
  messageTemplate: Type.String({
    ...LongText(MAX_MESSAGE_TEMPLATE),
    default: '',
    description: 'Message of the incident, with the same placeholders',
  }),
  autoResolve: Type.Boolean({
    default: false,
    description:
      'Resolve the published incident when the group of alerts ends, unless a person has ' +
      'posted an update',
  }),
}

export const AlertIntakeSettings = Type.Object(optional(settings))
export type AlertIntakeSettings = Static<typeof AlertIntakeSettings>

export const AlertIntake = Type.Object({
  integrationId: Id,
  webhookUrl: Type.String({ description: 'Webhook URL for Alertmanager or Grafana' }),
  ...settings,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  token: Type.Optional(
    OneTimeSecret('Token for `Authorization: Bearer`; returned only when it is created'),
  ),
})
export type AlertIntake = Static<typeof AlertIntake>

export const alertIntakeOperations = operationsOf('integrations', 'alert-intakes', {
  read: {
    route: 'GET /integrations/{id}/alert-intake',
    summary: 'Read the alert intake of an integration',
    description: '404 when the integration has no alert intake.',
    permission: 'integrations:read',
    params: IdParams,
    reply: AlertIntake,
  },
  replace: {
    route: 'PUT /integrations/{id}/alert-intake',
    summary: 'Create or replace the alert intake of an integration',
    description:
      'Accepts webhooks of Alertmanager and Grafana. Each group of alerts (`groupKey`) with a ' +
      'matching route creates one incident draft (`/incident-drafts`) for the components of ' +
      'all its alerts, with the highest impact. The templates make the public text; the text ' +
      'of the alert itself becomes a note for members. The first PUT returns `token`.',
    permission: 'integrations:write',
    params: IdParams,
    body: AlertIntakeSettings,
    reply: AlertIntake,
  },
  remove: {
    route: 'DELETE /integrations/{id}/alert-intake',
    summary: 'Delete the alert intake of an integration',
    description: 'The token becomes invalid. Existing drafts remain.',
    permission: 'integrations:write',
    params: IdParams,
    reply: Success,
  },
  rotateToken: {
    route: 'POST /integrations/{id}/alert-intake/rotate-token',
    summary: 'Rotate the token of an alert intake',
    description: 'Returns a new token, once. The previous one is accepted for 24 more hours.',
    permission: 'integrations:write',
    action: 'UPDATE',
    idempotencyKey: false,
    params: IdParams,
    reply: AlertIntake,
  },
})

export const alertHookOperations = operationsOf('integrations', 'hooks', {
  alerts: {
    route: 'POST /hooks/alerts/{integrationId}',
    status: 202,
    summary: 'Report alerts',
    description:
      'Webhook for Alertmanager and Grafana alerting, authenticated by the token of the alert ' +
      'intake in `Authorization: Bearer` or `X-Hook-Token`. Alerts are identified by their ' +
      'fingerprint; a repeated alert changes nothing. `accepted` is the number of new alerts ' +
      'with a matching route.',
    permission: 'signature',
    bucket: 'webhook',
    params: Type.Object({ integrationId: Type.String({ maxLength: 64 }) }),
    bodyType: 'raw',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: Type.Object({ accepted: Type.Integer() }),
  },
})

export const signalStatuses = ['firing', 'resolved'] as const

/**
 * Group of alerts as core receives it: its text, its components and the time of its publication.
 */
export const AlertSignal = Type.Object({
  /** Id of the group, stable while any of its alerts is firing. */
  id: Id,
  integrationId: Id,
  integrationName: Type.String(),
  status: OneOf(signalStatuses),
  title: Type.String({ maxLength: MAX_INCIDENT_TITLE }),
  message: Type.String({ maxLength: MAX_SIGNAL_MESSAGE }),
  titleTemplate: Type.String(),
  messageTemplate: Type.String(),
  /** Labels that the templates use, when all alerts of the group have the same value. */
  labels: Type.Record(Type.String(), Type.String()),
  autoResolve: Type.Boolean(),
  impact: Impact,
  componentIds: Type.Array(Id),
  startsAt: Timestamp,
  endsAt: Nullable(Timestamp),
  publishAfterMinutes: Nullable(Type.Integer()),
})
export type AlertSignal = Static<typeof AlertSignal>

export const alertSignalReceived = event(
  'alert-signal.received',
  ['integrations'],
  Type.Object({ signal: AlertSignal }),
)

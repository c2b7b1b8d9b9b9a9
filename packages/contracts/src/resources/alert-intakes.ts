/** Alerts that come in: whom an integration lets alert us, and which components it speaks of. */
import { type Static, Type } from '@sinclair/typebox'
import { DEFAULT_TITLE_TEMPLATE, MAX_ALERT_PLACEHOLDERS } from '../alert-templates.ts'
import { event } from '../event.ts'
import { operation } from '../operation.ts'
import {
  Id,
  IdParams,
  LongText,
  Nullable,
  OneLine,
  OneOf,
  ShownSecret,
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
      description: 'All must be equal; {} fits every alert',
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
  '`{{description}}` of the alert, `{{labels.<name>}}` of all alerts of the group; at most ' +
  `${MAX_ALERT_PLACEHOLDERS}.`

const settings = {
  publishAfterMinutes: Type.Union(
    [Type.Integer({ minimum: 1, maximum: MAX_PUBLISH_MINUTES }), Type.Null()],
    { default: null, description: 'Until a draft publishes itself; null: a person does' },
  ),
  routes: Type.Array(AlertRoute, {
    maxItems: MAX_ROUTES,
    default: [],
    description: 'The first that fits an alert counts; without one it is dropped',
  }),
  titleTemplate: Type.String({
    ...OneLine(MAX_INCIDENT_TITLE),
    default: DEFAULT_TITLE_TEMPLATE,
    description: `The title of the incident. ${PLACEHOLDERS}`,
  }),
  messageTemplate: Type.String({
    ...LongText(MAX_MESSAGE_TEMPLATE),
    default: '',
    description: 'The message of the incident, with the same placeholders',
  }),
  autoResolve: Type.Boolean({
    default: false,
    description:
      'The end of a group of alerts resolves the incident that it was published as, unless a ' +
      'person has posted an update',
  }),
}

export const AlertIntakeSettings = Type.Object({
  publishAfterMinutes: Type.Optional(settings.publishAfterMinutes),
  routes: Type.Optional(settings.routes),
  titleTemplate: Type.Optional(settings.titleTemplate),
  messageTemplate: Type.Optional(settings.messageTemplate),
  autoResolve: Type.Optional(settings.autoResolve),
})
export type AlertIntakeSettings = Static<typeof AlertIntakeSettings>

export const AlertIntake = Type.Object({
  integrationId: Id,
  webhookUrl: Type.String({ description: 'Where Alertmanager or Grafana is to post' }),
  ...settings,
  createdAt: Timestamp,
  updatedAt: Timestamp,
  token: Type.Optional(ShownSecret('For `Authorization: Bearer`; shown once, when it is made')),
})
export type AlertIntake = Static<typeof AlertIntake>

export const alertIntakeOperations = {
  read: operation({
    id: 'alert-intakes.read',
    service: 'integrations',
    method: 'GET',
    path: '/integrations/{id}/alert-intake',
    status: 200,
    summary: 'Read how alerts of an integration come in',
    description: '404 while none may.',
    permission: 'integrations:read',
    params: IdParams,
    reply: AlertIntake,
  }),
  replace: operation({
    id: 'alert-intakes.replace',
    service: 'integrations',
    method: 'PUT',
    path: '/integrations/{id}/alert-intake',
    status: 200,
    summary: 'Let alerts of an integration come in',
    description:
      'Webhooks of Alertmanager and of Grafana. A group of alerts (`groupKey`) that a route fits ' +
      'becomes one draft of an incident, about the components of all its alerts and with the ' +
      'worst impact: see `/incident-drafts`. Its public text comes from the templates; the ' +
      "alert's own text is a note for members. The first PUT also answers the `token`.",
    permission: 'integrations:write',
    params: IdParams,
    body: AlertIntakeSettings,
    reply: AlertIntake,
  }),
  remove: operation({
    id: 'alert-intakes.remove',
    service: 'integrations',
    method: 'DELETE',
    path: '/integrations/{id}/alert-intake',
    status: 200,
    summary: 'Let no alerts come in',
    description: 'Ends the token. Drafts stay.',
    permission: 'integrations:write',
    params: IdParams,
    reply: Success,
  }),
  rotateToken: operation({
    id: 'alert-intakes.rotateToken',
    service: 'integrations',
    method: 'POST',
    path: '/integrations/{id}/alert-intake/rotate-token',
    status: 200,
    summary: 'Make another token',
    description: 'The old one is taken for 24 hours more.',
    permission: 'integrations:write',
    action: 'UPDATE',
    idempotencyKey: false,
    params: IdParams,
    reply: AlertIntake,
  }),
}

export const alertHookOperations = {
  alerts: operation({
    id: 'hooks.alerts',
    service: 'integrations',
    method: 'POST',
    path: '/hooks/alerts/{integrationId}',
    status: 202,
    summary: 'Report alerts',
    description:
      "The webhook of Alertmanager or of Grafana's alerting, proved by the intake's token as " +
      '`Authorization: Bearer` or X-Hook-Token. An alert is known by its fingerprint: told again ' +
      'it changes nothing. `accepted` counts the alerts that were news and that a route fits.',
    permission: 'signature',
    bucket: 'webhook',
    params: Type.Object({ integrationId: Type.String({ maxLength: 64 }) }),
    bodyType: 'raw',
    bodyLimit: HOOK_BODY_LIMIT,
    idempotencyKey: false,
    reply: Type.Object({ accepted: Type.Integer() }),
  }),
}

export const signalStatuses = ['firing', 'resolved'] as const

/** A group of alerts as core needs it: its text, its components, and when it is published. */
export const AlertSignal = Type.Object({
  /** One for as long as any alert of the group fires. */
  id: Id,
  integrationId: Id,
  integrationName: Type.String(),
  status: OneOf(signalStatuses),
  title: Type.String({ maxLength: MAX_INCIDENT_TITLE }),
  message: Type.String({ maxLength: MAX_SIGNAL_MESSAGE }),
  titleTemplate: Type.String(),
  messageTemplate: Type.String(),
  /** Those that the templates name, where all alerts of the group have them. */
  labels: Type.Record(Type.String(), Type.String()),
  autoResolve: Type.Boolean(),
  impact: Impact,
  componentIds: Type.Array(Id),
  startsAt: Timestamp,
  endsAt: Nullable(Timestamp),
  publishAfterMinutes: Nullable(Type.Integer()),
})
export type AlertSignal = Static<typeof AlertSignal>

export const alertSignalReceived = event({
  kind: 'alert-signal.received',
  producers: ['integrations'],
  selectableBy: 'none',
  data: Type.Object({ signal: AlertSignal }),
})

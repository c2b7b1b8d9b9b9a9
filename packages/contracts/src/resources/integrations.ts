/** Integrations: metrics platforms that an organization lets us ask, and the credentials for that. */
import { type Static, type TSchema, Type } from '@sinclair/typebox'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { operation } from '../operation.ts'
import { patchOf } from '../patch.ts'
import {
  documented,
  HttpsUrl,
  Id,
  IdParams,
  Nullable,
  OneLine,
  OneOf,
  REDACTED,
  Success,
  TaggedUnion,
  Timestamp,
} from '../scalars.ts'

export const integrationTypes = ['datadog', 'prometheus', 'grafana', 'newrelic'] as const
export type IntegrationType = (typeof integrationTypes)[number]

/** An enum, so that no tenant assembles a host. */
export const datadogSites = [
  'datadoghq.com',
  'us3.datadoghq.com',
  'us5.datadoghq.com',
  'datadoghq.eu',
  'ap1.datadoghq.com',
  'ap2.datadoghq.com',
  'ddog-gov.com',
] as const

export const newRelicRegions = ['US', 'EU'] as const

const MAX_SECRET = 1024

/** It becomes a request header. */
const Secret = documented(
  Type.String({ minLength: 1, maxLength: MAX_SECRET, pattern: '^[\\x21-\\x7e]+$' }),
  { not: { const: REDACTED } },
)

/** What each platform is to be told. Secrets are named in `integrationSecrets`. */
export const integrationConfigs = {
  datadog: Type.Object({
    site: Type.Optional(OneOf(datadogSites, { default: 'datadoghq.com' })),
    apiKey: Secret,
    appKey: Secret,
  }),
  prometheus: Type.Object({
    url: HttpsUrl,
    username: Type.Optional(Nullable(OneLine(256))),
    password: Type.Optional(
      Nullable(documented(OneLine(MAX_SECRET), { not: { const: REDACTED } })),
    ),
    bearerToken: Type.Optional(Nullable(Secret)),
  }),
  grafana: Type.Object({
    url: HttpsUrl,
    token: Secret,
    datasourceUid: Type.String({ minLength: 1, maxLength: 40, pattern: '^[a-zA-Z0-9_-]+$' }),
  }),
  newrelic: Type.Object({
    accountId: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
    region: Type.Optional(OneOf(newRelicRegions, { default: 'US' })),
    apiKey: Secret,
  }),
} as const satisfies Record<IntegrationType, TSchema>

/** As they are kept: with every field. */
export type IntegrationConfigs = {
  [Kind in IntegrationType]: Required<Static<(typeof integrationConfigs)[Kind]>>
}

/** Sealed at rest, `***REDACTED***` on every way out. */
export const integrationSecrets: Record<IntegrationType, readonly string[]> = {
  datadog: ['apiKey', 'appKey'],
  prometheus: ['password', 'bearerToken'],
  grafana: ['token'],
  newrelic: ['apiKey'],
}

const Text = Type.Optional(Nullable(Type.String()))

/** The fields of every kind, as a reply shows them. */
const AnyConfig = Type.Object({
  site: Text,
  apiKey: Text,
  appKey: Text,
  url: Text,
  username: Text,
  password: Text,
  bearerToken: Text,
  token: Text,
  datasourceUid: Text,
  accountId: Type.Optional(Nullable(Type.Integer())),
  region: Text,
})
export type AnyIntegrationConfig = Static<typeof AnyConfig>

const patchText = (maxLength: number) =>
  Type.Optional(Nullable(documented(Type.String(), { minLength: 1, maxLength })))

/** The fields of every kind, as a PATCH may name them; the schema of the kind validates them. */
const AnyConfigPatch = Type.Object({
  site: Type.Optional(Nullable(documented(Type.String(), { enum: datadogSites }))),
  apiKey: patchText(MAX_SECRET),
  appKey: patchText(MAX_SECRET),
  url: patchText(2048),
  username: patchText(256),
  password: patchText(MAX_SECRET),
  bearerToken: patchText(MAX_SECRET),
  token: patchText(MAX_SECRET),
  datasourceUid: patchText(40),
  accountId: Type.Optional(
    Nullable(documented(Type.Integer(), { minimum: 1, maximum: 2_147_483_647 })),
  ),
  region: Type.Optional(Nullable(documented(Type.String(), { enum: newRelicRegions }))),
})

const isEnabled = Type.Boolean({ default: true, description: 'False: nothing is asked of it' })

const variantOf = <Kind extends IntegrationType>(kind: Kind) =>
  Type.Object({
    type: Type.Literal(kind),
    name: OneLine(100),
    config: integrationConfigs[kind],
    isEnabled: Type.Optional(isEnabled),
  })

export const NewIntegration = TaggedUnion('type', [
  variantOf('datadog'),
  variantOf('prometheus'),
  variantOf('grafana'),
  variantOf('newrelic'),
])
export type NewIntegration = Static<typeof NewIntegration>

export const IntegrationPatch = patchOf({ name: OneLine(100), config: AnyConfigPatch, isEnabled }, [
  'name',
  'config',
  'isEnabled',
])
export type IntegrationPatch = Static<typeof IntegrationPatch>

export const Integration = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(integrationTypes),
  isEnabled: Type.Boolean(),
  config: AnyConfig,
  managedByConfig: Type.Boolean(),
  lastTestAt: Nullable(Timestamp),
  lastTestSuccess: Nullable(Type.Boolean()),
  createdAt: Timestamp,
  updatedAt: Timestamp,
})
export type Integration = Static<typeof Integration>

export const integrationTestMessages = [
  'ok',
  'blocked',
  'dns_error',
  'connect_error',
  'tls_error',
  'timeout',
  'auth_failed',
  'bad_answer',
] as const
export type IntegrationTestMessage = (typeof integrationTestMessages)[number]

export const IntegrationTest = Type.Object({
  success: Type.Boolean(),
  latencyMs: Type.Integer({ description: 'Milliseconds' }),
  message: OneOf(integrationTestMessages),
})
export type IntegrationTest = Static<typeof IntegrationTest>

export const integrationOperations = {
  list: operation({
    id: 'integrations.list',
    service: 'integrations',
    method: 'GET',
    path: '/integrations',
    status: 200,
    summary: 'List integrations',
    description: 'Credentials read as `***REDACTED***`.',
    permission: 'integrations:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {}),
    reply: listOf(Integration),
  }),
  create: operation({
    id: 'integrations.create',
    service: 'integrations',
    method: 'POST',
    path: '/integrations',
    status: 201,
    summary: 'Add a metrics platform',
    description:
      'The name is unique in the organization (409 `duplicate`). URLs are `https` and lead to ' +
      'public addresses. Nothing is asked of it until a metric query or a METRIC component does. ' +
      'Event: `integration.created`.',
    permission: 'integrations:write',
    body: NewIntegration,
    reply: Integration,
  }),
  read: operation({
    id: 'integrations.read',
    service: 'integrations',
    method: 'GET',
    path: '/integrations/{id}',
    status: 200,
    summary: 'Read an integration',
    permission: 'integrations:read',
    params: IdParams,
    reply: Integration,
  }),
  update: operation({
    id: 'integrations.update',
    service: 'integrations',
    method: 'PATCH',
    path: '/integrations/{id}',
    status: 200,
    summary: 'Change an integration',
    description:
      '`type` stays. `config` merges by field; the marker `***REDACTED***` keeps a secret. ' +
      'Another URL, site or region needs the stored secrets again (400). Event: ' +
      '`integration.updated`, unless nothing changed.',
    permission: 'integrations:write',
    params: IdParams,
    body: IntegrationPatch,
    reply: Integration,
  }),
  remove: operation({
    id: 'integrations.remove',
    service: 'integrations',
    method: 'DELETE',
    path: '/integrations/{id}',
    status: 200,
    summary: 'Remove an integration and its metric queries',
    description:
      '409 `in_use` while a METRIC component is measured through it. Event: ' +
      '`integration.deleted`.',
    permission: 'integrations:write',
    params: IdParams,
    reply: Success,
  }),
  test: operation({
    id: 'integrations.test',
    service: 'integrations',
    method: 'POST',
    path: '/integrations/{id}/test',
    status: 200,
    summary: 'Test the connection to a platform',
    description:
      'Asks the platform whether it accepts the credentials; 5 s to connect, 30 s in all. The ' +
      'answer is 200 also where it does not: `success` tells.',
    permission: 'integrations:write',
    action: 'UPDATE',
    params: IdParams,
    reply: IntegrationTest,
  }),
}

/** What others need of an integration that they may name. */
export const IntegrationEventData = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(integrationTypes),
})
export type IntegrationEventData = Static<typeof IntegrationEventData>

const eventData = Type.Object({ integration: IntegrationEventData })

export const integrationCreated = event({
  kind: 'integration.created',
  producers: ['integrations'],
  selectableBy: 'none',
  data: eventData,
})
export const integrationUpdated = event({
  kind: 'integration.updated',
  producers: ['integrations'],
  selectableBy: 'none',
  data: eventData,
})
export const integrationDeleted = event({
  kind: 'integration.deleted',
  producers: ['integrations'],
  selectableBy: 'none',
  data: eventData,
})

/** Integrations: metrics platforms that an organization connects, with their credentials. */
import { type Static, type TObject, Type } from '@sinclair/typebox'
import { type AnyConfig, anyConfigOf, type StoredConfigs } from '../any-config.ts'
import { event } from '../event.ts'
import { listOf, listQuery } from '../listing.ts'
import { operationsOf } from '../operation.ts'
import { patchSchemaOf } from '../patch.ts'
import {
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
  withDocumentedKeywords,
} from '../scalars.ts'

const MAX_SECRET = 1024

/** A closed set, so that a tenant cannot compose a host name. */
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

/** Secret that is sent as a request header. */
const Secret = withDocumentedKeywords(
  Type.String({ minLength: 1, maxLength: MAX_SECRET, pattern: '^[\\x21-\\x7e]+$' }),
  { not: { const: REDACTED } },
)

/** Configuration of each platform with its name. `integrationSecrets` lists the secret fields. */
export const integrationConfigs = {
  datadog: Type.Object(
    {
      site: Type.Optional(OneOf(datadogSites, { default: 'datadoghq.com' })),
      apiKey: Secret,
      appKey: Secret,
    },
    { title: 'Datadog' },
  ),
  prometheus: Type.Object(
    {
      url: HttpsUrl,
      username: Type.Optional(Nullable(OneLine(256))),
      password: Type.Optional(
        Nullable(withDocumentedKeywords(OneLine(MAX_SECRET), { not: { const: REDACTED } })),
      ),
      bearerToken: Type.Optional(Nullable(Secret)),
    },
    { title: 'Prometheus' },
  ),
  grafana: Type.Object(
    {
      url: HttpsUrl,
      token: Secret,
      datasourceUid: Type.String({ minLength: 1, maxLength: 40, pattern: '^[a-zA-Z0-9_-]+$' }),
    },
    { title: 'Grafana' },
  ),
  newrelic: Type.Object(
    {
      accountId: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }),
      region: Type.Optional(OneOf(newRelicRegions, { default: 'US' })),
      apiKey: Secret,
    },
    { title: 'New Relic' },
  ),
} as const satisfies Record<string, TObject>

export type IntegrationType = keyof typeof integrationConfigs
export const integrationTypes = Object.keys(integrationConfigs) as readonly IntegrationType[]

/** Configurations as stored, with every field. */
export type IntegrationConfigs = StoredConfigs<typeof integrationConfigs>

/** Fields that are encrypted at rest and returned as `***REDACTED***`. */
export const integrationSecrets: Record<IntegrationType, readonly string[]> = {
  datadog: ['apiKey', 'appKey'],
  prometheus: ['password', 'bearerToken'],
  grafana: ['token'],
  newrelic: ['apiKey'],
}

/** Configuration of any type, as stored or in part. */
export type AnyIntegrationConfig = AnyConfig<typeof integrationConfigs>
const AnyIntegrationConfig = anyConfigOf(integrationConfigs)

const isEnabled = Type.Boolean({ default: true, description: 'False: the platform is not queried' })

const variantOf = <Kind extends IntegrationType>(kind: Kind) =>
  Type.Object({
    type: Type.Literal(kind),
    name: OneLine(100),
    config: integrationConfigs[kind],
    isEnabled: Type.Optional(isEnabled),
  })

type Variant = { [Kind in IntegrationType]: ReturnType<typeof variantOf<Kind>> }[IntegrationType]

export const NewIntegration = TaggedUnion('type', integrationTypes.map(variantOf) as Variant[])
export type NewIntegration = Static<typeof NewIntegration>

export const IntegrationPatch = patchSchemaOf(
  { name: OneLine(100), config: AnyIntegrationConfig, isEnabled },
  ['name', 'config', 'isEnabled'],
)
export type IntegrationPatch = Static<typeof IntegrationPatch>

export const Integration = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(integrationTypes),
  isEnabled: Type.Boolean(),
  config: AnyIntegrationConfig,
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
  latencyMs: Type.Integer({ description: 'Duration of the test in milliseconds' }),
  message: OneOf(integrationTestMessages),
})
export type IntegrationTest = Static<typeof IntegrationTest>

export const integrationOperations = operationsOf('integrations', 'integrations', {
  list: {
    route: 'GET /integrations',
    summary: 'List integrations',
    description: 'Credentials are returned as `***REDACTED***`.',
    permission: 'integrations:read',
    query: listQuery(['name', 'createdAt', 'updatedAt'], {}),
    reply: listOf(Integration),
  },
  create: {
    route: 'POST /integrations',
    status: 201,
    summary: 'Create an integration',
    description:
      'Connects a metrics platform. URLs must be `https` and resolve to public addresses. The ' +
      'platform is first queried when a metric query or a METRIC component uses it. 409 ' +
      '`duplicate` for a name that exists in the organization. Emits `integration.created`.',
    permission: 'integrations:write',
    body: NewIntegration,
    reply: Integration,
  },
  read: {
    route: 'GET /integrations/{id}',
    summary: 'Read an integration',
    permission: 'integrations:read',
    params: IdParams,
    reply: Integration,
  },
  update: {
    route: 'PATCH /integrations/{id}',
    summary: 'Update an integration',
    description:
      '`type` cannot change. `config` is merged by field; the marker `***REDACTED***` keeps a ' +
      'stored secret. A new URL, site or region requires the stored secrets again (400). Emits ' +
      '`integration.updated` if anything changed.',
    permission: 'integrations:write',
    params: IdParams,
    body: IntegrationPatch,
    reply: Integration,
  },
  remove: {
    route: 'DELETE /integrations/{id}',
    summary: 'Delete an integration',
    description:
      'Also deletes its metric queries. 409 `in_use` while a METRIC component uses the ' +
      'integration. Emits `integration.deleted`.',
    permission: 'integrations:write',
    params: IdParams,
    reply: Success,
  },
  test: {
    route: 'POST /integrations/{id}/test',
    summary: 'Test an integration',
    description:
      'Sends a request with the stored credentials to the platform; 5 seconds to connect, 30 ' +
      'seconds in total. Returns 200 for a failed test too; see `success`.',
    permission: 'integrations:write',
    action: 'UPDATE',
    params: IdParams,
    reply: IntegrationTest,
  },
})

/** Integration as other services store it, to validate references. */
export const IntegrationEventData = Type.Object({
  id: Id,
  name: Type.String(),
  type: OneOf(integrationTypes),
})
export type IntegrationEventData = Static<typeof IntegrationEventData>

const eventData = Type.Object({ integration: IntegrationEventData })

export const integrationCreated = event('integration.created', ['integrations'], eventData)
export const integrationUpdated = event('integration.updated', ['integrations'], eventData)
export const integrationDeleted = event('integration.deleted', ['integrations'], eventData)

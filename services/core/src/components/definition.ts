/** Definition of a component, without its status: converts request fields to stored fields. */
import type { TObject } from '@sinclair/typebox'
import { type ComponentPatch, type Issue, invalid, NewComponent } from '@status-page/contracts'
import { checkHeaders } from '@status-page/outbound'
import { fieldDefaults, fillFields } from '../fields.ts'
import type { CheckSettings, ComponentRow, MetricSettings } from '../tables.ts'
import { conditionIssues } from './condition-issues.ts'
import {
  type CheckHeaders,
  type EncryptHeader,
  hasSecrets,
  headersToStore,
} from './request-headers.ts'

const commonFields = [
  'name',
  'description',
  'isEnabled',
  'isMuted',
  'parentComponentId',
  'icon',
  'showIconOnStatusPage',
  'order',
] as const

const endpointFields = [
  'url',
  'method',
  'body',
  'checkInterval',
  'timeout',
  'conditions',
  'autoCreateIncident',
  'failureThreshold',
  'autoResolve',
  'recoveryThreshold',
  'locations',
  'locationQuorum',
] as const

const metricFields = [
  'integrationId',
  'query',
  'pollingInterval',
  'warningThreshold',
  'criticalThreshold',
] as const

export type ComponentDefinitionFields = Pick<
  ComponentRow,
  (typeof commonFields)[number] | 'endpoint' | 'metric'
>

/** Fields of a new component, or the stored fields with a PATCH applied. */
export const buildDefinitionFields = (
  given: NewComponent | ComponentPatch,
  stored: Pick<ComponentRow, 'type'> & Partial<ComponentDefinitionFields>,
  seal: EncryptHeader,
): ComponentDefinitionFields => ({
  ...pick(commonFields, given, stored),
  endpoint:
    stored.type === 'ENDPOINT' ? defineEndpoint(given, stored.endpoint ?? null, seal) : null,
  metric: stored.type === 'METRIC' ? pick(metricFields, given, stored.metric ?? {}) : null,
})

/** API names of the fields that differ. */
export const changedFields = (
  before: ComponentDefinitionFields,
  after: ComponentDefinitionFields,
): string[] => [
  ...commonFields.filter((name) => differ(before[name], after[name])),
  ...[...endpointFields, 'headers' as const].filter((name) =>
    differ(before.endpoint?.[name], after.endpoint?.[name]),
  ),
  ...metricFields.filter((name) => differ(before.metric?.[name], after.metric?.[name])),
]

const defaults = Object.assign(
  {},
  ...(NewComponent.oneOf as TObject[]).map(({ properties }) => fieldDefaults(properties)),
)

type Fields = ComponentDefinitionFields & CheckSettings & MetricSettings

const pick = <Name extends keyof Fields & string>(
  names: readonly Name[],
  given: object,
  stored: object,
): Pick<Fields, Name> => fillFields<Pick<Fields, Name>>(names, { given, stored, defaults })

const defineEndpoint = (
  given: object,
  stored: CheckSettings | null,
  seal: EncryptHeader,
): CheckSettings => {
  const fields = pick(endpointFields, given, stored ?? {})
  const { headers, issues } = defineHeaders(given, stored, seal)
  const endpoint: CheckSettings = { ...fields, headers }
  const [first, ...others] = [...issues, ...endpointIssues(endpoint)]
  if (first !== undefined) throw invalid(first, ...others)
  return endpoint
}

/** Secrets are bound to their URL: a PATCH of the URL must repeat the stored secrets. */
const defineHeaders = (given: object, stored: CheckSettings | null, seal: EncryptHeader) => {
  const { headers, url } = given as { headers?: CheckHeaders | null; url?: string }
  const moves = stored !== null && url !== undefined && url !== stored.url
  if (headers === undefined) {
    const unchanged = stored?.headers ?? []
    return { headers: unchanged, issues: moves && hasSecrets(unchanged) ? [secretsNeeded] : [] }
  }
  const verdict = checkHeaders(headers ?? {})
  if (!verdict.ok) throw invalid({ field: 'headers', message: `headers ${verdict.message}` })
  const next = headersToStore({ given: headers ?? {}, stored: stored?.headers ?? [], seal })
  return {
    headers: next.headers,
    issues: [...next.issues, ...(moves && next.retainsSecrets ? [secretsNeeded] : [])],
  }
}

const secretsNeeded: Issue = {
  field: 'headers',
  message: 'headers must repeat their secret values when url changes',
}

const MAX_BODY_BYTES = 64 * 1024
const methodsWithBody = ['POST', 'PUT', 'PATCH', 'DELETE']

const endpointIssues = (endpoint: CheckSettings): Issue[] => {
  const { method, body, timeout, checkInterval, conditions, locations, locationQuorum } = endpoint
  const issues = conditionIssues(conditions, method)
  if (timeout > checkInterval * 1000) {
    issues.push({ field: 'timeout', message: 'timeout must not be greater than checkInterval' })
  }
  if (locationQuorum != null && locationQuorum > Math.max(1, locations?.length ?? 0)) {
    const message = 'locationQuorum must not be greater than the number of locations'
    issues.push({ field: 'locationQuorum', message })
  }
  if (body === null) return issues
  if (!methodsWithBody.includes(method)) {
    issues.push({ field: 'body', message: `body requires method ${methodsWithBody.join(', ')}` })
  }
  if (Buffer.byteLength(body) > MAX_BODY_BYTES) {
    issues.push({ field: 'body', message: `body must have at most ${MAX_BODY_BYTES} bytes` })
  }
  return issues
}

const differ = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) !== JSON.stringify(right)

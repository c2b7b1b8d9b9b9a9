/** Definition of a component, without its status: converts request fields to stored fields. */
import type { TObject } from '@sinclair/typebox'
import {
  type CheckSettings,
  type ComponentPatch,
  fieldsOfType,
  type Issue,
  invalid,
  NewComponent,
  type ProbeKind,
  probeKindOf,
  throwIssues,
  toUpstreamSettings,
  type UpstreamInput,
  type UpstreamSettings,
} from '@status-page/contracts'
import { checkHeaders } from '@status-page/outbound'
import { fieldDefaults, fillFields } from '../fields.ts'
import type { ComponentRow, MetricSettings } from '../tables.ts'
import { checkIssues, fieldsOfCheck, otherKindIssues } from './check-rules.ts'
import {
  type CheckHeaders,
  type EncryptHeader,
  hasSecrets,
  headersOf,
  headersToStore,
} from './request-headers.ts'

const commonFields = [
  'name',
  'description',
  'isEnabled',
  'isMuted',
  'parentComponentId',
  'dependsOn',
  'icon',
  'showIconOnStatusPage',
  'order',
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
  (typeof commonFields)[number] | 'endpoint' | 'metric' | 'upstream'
>

type DefinedComponent = Pick<ComponentRow, 'type'> & Partial<ComponentDefinitionFields>

/** Fields of a new component, or the stored fields with a PATCH applied. */
export const buildDefinitionFields = (
  given: NewComponent | ComponentPatch,
  stored: DefinedComponent,
  seal: EncryptHeader,
): ComponentDefinitionFields => ({
  ...pick(commonFields, given, stored),
  endpoint: stored.type === 'ENDPOINT' ? defineCheck(given, stored, seal) : null,
  metric: stored.type === 'METRIC' ? pick(metricFields, given, stored.metric ?? {}) : null,
  upstream: stored.type === 'SERVICE' ? defineUpstream(given, stored) : null,
})

/** API names of the fields that differ. */
export const changedFields = (
  before: ComponentDefinitionFields,
  after: ComponentDefinitionFields,
): string[] => [
  ...commonFields.filter((name) => differ(before[name], after[name])),
  ...fieldsOfType('ENDPOINT').filter((name) =>
    differ(fieldOf(before.endpoint, name), fieldOf(after.endpoint, name)),
  ),
  ...metricFields.filter((name) => differ(before.metric?.[name], after.metric?.[name])),
  ...(differ(before.upstream, after.upstream) ? ['upstream'] : []),
]

const defaults = Object.assign(
  {},
  ...(NewComponent.oneOf as TObject[]).map(({ properties }) => fieldDefaults(properties)),
)

type Fields = ComponentDefinitionFields & MetricSettings

const pick = <Name extends keyof Fields & string>(
  names: readonly Name[],
  given: object,
  stored: object,
): Pick<Fields, Name> => fillFields<Pick<Fields, Name>>(names, { given, stored, defaults })

/** A given upstream replaces the stored one as a whole. */
const defineUpstream = (
  given: object,
  { upstream: stored = null }: DefinedComponent,
): UpstreamSettings | null => {
  const { upstream = stored } = given as { upstream?: UpstreamInput | null }
  return upstream === null ? null : toUpstreamSettings(upstream)
}

const fieldOf = (fields: object | null, name: string): unknown =>
  (fields as Readonly<Record<string, unknown>> | null)?.[name]

const defineCheck = (
  given: object,
  { endpoint: stored = null }: DefinedComponent,
  seal: EncryptHeader,
): CheckSettings => {
  const kind = kindOfCheck(given, stored)
  if (kind === null) throw invalid({ field: 'url', message: 'url is required' })
  const names = fieldsOfCheck(kind)
  const { headers, issues } = names.includes('headers')
    ? defineHeaders(given, stored, seal)
    : { headers: undefined, issues: [] }
  const fields = fillFields(names as never, { given, stored: stored ?? {}, defaults })
  const check = { kind, ...fields, ...(headers === undefined ? {} : { headers }) } as CheckSettings
  throwIssues([...issues, ...otherKindIssues(kind, given, defaults), ...checkIssues(check)])
  return check
}

/** Kind by the given fields, else by the stored ones; a given `url` replaces a stored `kind`. */
const kindOfCheck = (
  given: { kind?: unknown; url?: unknown },
  stored: CheckSettings | null,
): ProbeKind | null => {
  const { kind = given.url === undefined ? stored?.kind : null, url = fieldOf(stored, 'url') } =
    given
  return probeKindOf({ kind, url })
}

/** Secrets are bound to their URL: a PATCH of the URL must repeat the stored secrets. */
const defineHeaders = (given: object, stored: CheckSettings | null, seal: EncryptHeader) => {
  const { headers, url } = given as { headers?: CheckHeaders | null; url?: string }
  const moves = stored !== null && url !== undefined && url !== fieldOf(stored, 'url')
  if (headers === undefined) {
    const unchanged = headersOf(stored)
    return { headers: unchanged, issues: moves && hasSecrets(unchanged) ? [secretsNeeded] : [] }
  }
  const verdict = checkHeaders(headers ?? {})
  if (!verdict.ok) throw invalid({ field: 'headers', message: `headers ${verdict.message}` })
  const next = headersToStore({ given: headers ?? {}, stored: headersOf(stored), seal })
  return {
    headers: next.headers,
    issues: [...next.issues, ...(moves && next.retainsSecrets ? [secretsNeeded] : [])],
  }
}

const secretsNeeded: Issue = {
  field: 'headers',
  message: 'headers must repeat their secret values when url changes',
}

const differ = (left: unknown, right: unknown): boolean =>
  JSON.stringify(left) !== JSON.stringify(right)

/** Configuration of channels: completed, merged and validated by type, with decrypted secrets. */
import { Type } from '@sinclair/typebox'
import {
  type AnyChannelConfig,
  type ChannelConfigs,
  type ChannelType,
  channelConfigs,
  type Issue,
  invalid,
  REDACTED,
} from '@status-page/contracts'
import { checkHeaders } from '@status-page/outbound'
import { restoreSecrets } from '@status-page/secrets'
import { compileDecoder, compileValidator } from '@status-page/service'
import type { ChannelRow } from '../tables.ts'
import { templateIssues } from './templates.ts'

interface ConfigKind {
  decode(config: unknown): unknown
  validate(body: { config: unknown }): Issue[]
  fields: readonly string[]
}

const kinds = Object.fromEntries(
  Object.entries(channelConfigs).map(([type, schema]): [string, ConfigKind] => {
    const decode = compileDecoder(schema)
    const validate = compileValidator(Type.Object({ config: schema }), 'body')
    return [type, { decode, validate, fields: Object.keys(schema.properties) }]
  }),
) as Record<ChannelType, ConfigKind>

/** Field with the target of the secrets; a change requires the secrets again. */
const targetField: Record<ChannelType, string | null> = {
  email: 'smtpHost',
  sms: null,
  slack: null,
  discord: null,
  teams: null,
  webhook: 'url',
}
/** Secrets that are sent to the target. */
const secretsSentToTarget: Record<ChannelType, readonly string[]> = {
  email: ['password'],
  sms: [],
  slack: [],
  discord: [],
  teams: [],
  webhook: ['headers'],
}

/** Applies a PATCH to the stored configuration. */
export const mergeConfig = (
  { type, config }: Pick<ChannelRow, 'type' | 'config'>,
  given: AnyChannelConfig,
): AnyChannelConfig => {
  // A null removes the field, so that its default applies.
  const merged = Object.fromEntries(
    Object.entries({ ...config, ...given }).filter(([, value]) => value !== null),
  )
  const complete = completeConfig(type, merged, config)
  const target = targetField[type]
  if (target !== null && hostOf(complete, target) !== hostOf(config, target)) {
    requireSecretsAgain(type, config, given)
  }
  return complete
}

const hostOf = (config: AnyChannelConfig, field: string): unknown =>
  config[field as keyof AnyChannelConfig]

const requireSecretsAgain = (
  type: ChannelType,
  stored: AnyChannelConfig,
  given: AnyChannelConfig,
): void => {
  const issues = secretsSentToTarget[type].flatMap((field): Issue[] => {
    const name = field as keyof AnyChannelConfig
    if (!isPresent(stored[name])) return []
    const again = given[name]
    const isGiven = again !== undefined && !JSON.stringify(again).includes(REDACTED)
    return isGiven ? [] : [issueOf(field, 'must be given again, because the target changed')]
  })
  throwIfInvalid(issues)
}

const isPresent = (value: unknown): boolean =>
  typeof value === 'object' && value !== null ? Object.keys(value).length > 0 : value != null

/**
 * Completes the configuration, replaces redaction markers by stored secrets, and validates the
 * result as new.
 */
export const completeConfig = (
  type: ChannelType,
  given: unknown,
  stored: AnyChannelConfig | null = null,
): AnyChannelConfig => {
  const kind = kinds[type]
  const restored = restoreSecrets(given, stored ?? {})
  throwIfInvalid(
    restored.missing.map((path) =>
      issueOf(path, 'is a placeholder, and no secret is stored for it'),
    ),
  )
  const decoded = kind.decode(restored.value) as AnyChannelConfig
  throwIfInvalid(kind.validate({ config: decoded }))
  throwIfInvalid(issuesOf(type, decoded))
  return orderConfigFields(type, decoded)
}

/** Fields in the order of the contract, because Postgres does not preserve order in JSON. */
export const orderConfigFields = (type: ChannelType, config: AnyChannelConfig): AnyChannelConfig =>
  Object.fromEntries(
    kinds[type].fields.map((field) => {
      const value = config[field as keyof AnyChannelConfig] ?? null
      return [field, typeof value === 'object' && !Array.isArray(value) ? byName(value) : value]
    }),
  )

const byName = (map: object | null): object | null =>
  map && Object.fromEntries(Object.entries(map).sort(([one], [other]) => (one < other ? -1 : 1)))

const issueOf = (field: string, problem: string): Issue => ({
  field: `config.${field}`,
  message: `config.${field} ${problem}`,
})

const throwIfInvalid = ([first, ...others]: readonly Issue[]): void => {
  if (first !== undefined) throw invalid(first, ...others)
}

/** Issues that a schema cannot express. */
const issuesOf = (type: ChannelType, config: AnyChannelConfig): Issue[] => {
  if (type !== 'webhook') return []
  const { headers, bodyTemplate } = config
  const verdict = checkHeaders(headers ?? {})
  return [
    ...(verdict.ok ? [] : [issueOf('headers', verdict.message)]),
    ...templateIssues('config.bodyTemplate', bodyTemplate),
  ]
}

/** Target address of a channel, to be validated before it is saved. */
export const channelTargets = (
  type: ChannelType,
  config: AnyChannelConfig,
):
  | { kind: 'url'; field: string; url: string }
  | { kind: 'smtp'; fields: { host: string; port: string }; host: string; port: number }
  | null => {
  switch (type) {
    case 'email': {
      const { smtpHost: host, smtpPort: port } = config as ChannelConfigs['email']
      const fields = { host: 'config.smtpHost', port: 'config.smtpPort' }
      return { kind: 'smtp', fields, host, port }
    }
    case 'sms':
      return null
    case 'webhook':
      return { kind: 'url', field: 'config.url', url: (config as ChannelConfigs['webhook']).url }
    default: {
      const { webhookUrl: url } = config as ChannelConfigs['slack']
      return { kind: 'url', field: 'config.webhookUrl', url }
    }
  }
}

/** Configuration of channels: completed, merged and validated by type, with decrypted secrets. */
import { Type } from '@sinclair/typebox'
import {
  type AnyChannelConfig,
  type ChannelConfigs,
  type ChannelType,
  channelConfigs,
  type Issue,
  REDACTED,
  throwIssues,
} from '@status-page/contracts'
import { restoreSecrets } from '@status-page/secrets'
import { compileDecoder, compileValidator } from '@status-page/service'
import { channels } from '../channels/index.ts'
import type { ChannelRow } from '../tables.ts'

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
  const { sentSecrets } = channels[type]
  if (sentSecrets === null) return complete
  const target = sentSecrets.target as keyof AnyChannelConfig
  if (complete[target] !== config[target]) requireSecretsAgain(sentSecrets.fields, config, given)
  return complete
}

const requireSecretsAgain = (
  fields: readonly string[],
  stored: AnyChannelConfig,
  given: AnyChannelConfig,
): void => {
  const issues = fields.flatMap((field): Issue[] => {
    const name = field as keyof AnyChannelConfig
    if (!isPresent(stored[name])) return []
    const again = given[name]
    const isGiven = again !== undefined && !JSON.stringify(again).includes(REDACTED)
    return isGiven ? [] : [issueOf(field, 'must be given again, because the target changed')]
  })
  throwIssues(issues)
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
  throwIssues(
    restored.missing.map((path) =>
      issueOf(path, 'is a placeholder, and no secret is stored for it'),
    ),
  )
  const decoded = kind.decode(restored.value) as AnyChannelConfig
  throwIssues(kind.validate({ config: decoded }))
  const issues = channels[type].issuesOf?.(decoded as ChannelConfigs[ChannelType]) ?? []
  throwIssues(
    issues.map(({ field, message }) => ({
      field: `config.${field}`,
      message: `config.${message}`,
    })),
  )
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

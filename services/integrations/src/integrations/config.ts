/**
 * Config of an integration: completed, merged and validated by its kind. Secrets are in clear here.
 */
import { Type } from '@sinclair/typebox'
import {
  type AnyIntegrationConfig,
  type IntegrationConfigs,
  type IntegrationType,
  type Issue,
  integrationConfigs,
  integrationSecrets,
  REDACTED,
  throwIssues,
} from '@status-page/contracts'
import { restoreSecrets } from '@status-page/secrets'
import { compileDecoder, compileValidator } from '@status-page/service'
import { platforms } from '../platforms/index.ts'
import type { Platform } from '../platforms/platform.ts'
import type { IntegrationRow } from '../tables.ts'

interface Kind {
  decode(config: unknown): unknown
  validate(body: { config: unknown }): Issue[]
  fields: readonly string[]
}

const kinds = Object.fromEntries(
  Object.entries(integrationConfigs).map(([type, schema]): [string, Kind] => {
    const validate = compileValidator(Type.Object({ config: schema }), 'body')
    return [
      type,
      { decode: compileDecoder(schema), validate, fields: Object.keys(schema.properties) },
    ]
  }),
) as Record<IntegrationType, Kind>

type Config = AnyIntegrationConfig
type Field = keyof Config

const platformOf = (type: IntegrationType) => platforms[type] as Platform<IntegrationType>

/** Returns the configuration after a PATCH. */
export const mergeConfig = (
  { type, config }: Pick<IntegrationRow, 'type' | 'config'>,
  given: Config,
): Config => {
  // Null removes the field, so that its default applies.
  const merged = Object.fromEntries(
    Object.entries({ ...config, ...given }).filter(([, value]) => value !== null),
  )
  const whole = completeConfig(type, merged, config)
  const target: Field = platformOf(type).targetField
  if (whole[target] !== config[target]) requireSecretsAgain(type, config, given)
  return whole
}

/** Requires secrets again after a change of their target; a removed secret is not required. */
const requireSecretsAgain = (type: IntegrationType, stored: Config, given: Config): void =>
  throwIssues(
    (integrationSecrets[type] as readonly Field[]).flatMap((field): Issue[] => {
      const isGiven = given[field] !== undefined && given[field] !== REDACTED
      return stored[field] == null || isGiven
        ? []
        : [issueOf(field, 'must be given again, because the target changed')]
    }),
  )

/**
 * All fields of the kind with redaction markers replaced by stored values, validated like a new
 * config.
 */
export const completeConfig = (
  type: IntegrationType,
  given: unknown,
  stored: Config | null = null,
): Config => {
  const kind = kinds[type]
  const restored = restoreSecrets(given, stored ?? {})
  throwIssues(
    restored.missing.map((path) =>
      issueOf(path, 'is a placeholder, and no secret is stored for it'),
    ),
  )
  const decoded = kind.decode(restored.value) as Config
  throwIssues(kind.validate({ config: decoded }))
  const found = platformOf(type).findProblem?.(decoded as IntegrationConfigs[IntegrationType])
  if (found != null) throwIssues([issueOf(found.field, found.problem)])
  return inContractOrder(type, decoded)
}

/** Fields in the order of the contract: Postgres does not preserve the order of JSON keys. */
export const inContractOrder = (type: IntegrationType, config: Config): Config =>
  Object.fromEntries(kinds[type].fields.map((field) => [field, config[field as Field] ?? null]))

const issueOf = (field: string, problem: string): Issue => ({
  field: `config.${field}`,
  message: `config.${field} ${problem}`,
})

/**
 * Configuration whose fields depend on the type of its resource: that of integrations and of
 * notification channels. A value is a text, a number, a truth value, a list or a map of texts. Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import {
  channelConfigs,
  channelSecrets,
  type Issue,
  integrationConfigs,
  integrationSecrets,
  Nullable,
  REDACTED,
} from '@status-page/contracts'
import { compileDecoder, compileValidator, type Validator } from '@status-page/service'
import { referencedVariable } from './references.ts'

/** Values by field; a null stands for the default. */
export type ConfigValues = Readonly<Record<string, unknown>>

export interface TypedConfig {
  /** Paths of the secret fields of a type; `headers.*` is each value of a map. */
  secretsOf(type: string): readonly string[]
  /** True for `apiKey` or `headers.Key` when its value is a secret. */
  isSecret(type: string, path: string): boolean
  /** Canonical values; references stay, and are validated when their variable is read. */
  decode(type: string, config: ConfigValues): ConfigValues
  /** Problems of the config of a document at `path`; a secret must be a reference or the marker. */
  issuesOf(type: string, config: ConfigValues, path: string): Issue[]
  /** Problems of one field by the schema of the type. */
  valueIssues(type: string, field: string, value: unknown, path: string): Issue[]
  /** Value of a variable: a number or truth value where the schema has one, otherwise a text. */
  readVariable(type: string, path: string, text: string): unknown
  /** Default of a field, or null. */
  defaultOf(type: string, field: string): unknown
}

interface ConfigField {
  schema: TSchema
  decode: (value: unknown) => unknown
  validate: Validator
}

export const typedConfig = (
  schemas: Readonly<Record<string, TObject>>,
  secrets: Readonly<Record<string, readonly string[]>>,
): TypedConfig => {
  const types = new Map(
    Object.entries(schemas).map(([type, { properties }]) => [type, fieldsOf(properties)]),
  )
  const fieldOf = (type: string, name: string) => types.get(type)?.get(name)
  const secretsOf = (type: string) => secrets[type] ?? []
  const isSecret = (type: string, path: string) =>
    secretsOf(type).some((secret) => secret === path || secret === `${fieldNameOf(path)}.*`)

  const valueIssues: TypedConfig['valueIssues'] = (type, name, value, path) =>
    (fieldOf(type, name)?.validate({ [name]: value }) ?? []).map((issue) => ({
      ...issue,
      field: `${path}.${issue.field}`,
      message: `${path}.${issue.message}`,
    }))

  const fieldIssues = (type: string, name: string, value: unknown, path: string): Issue[] => {
    const field = `${path}.${name}`
    if (fieldOf(type, name) === undefined) {
      return [{ field, message: `${field} is not a field of ${type}` }]
    }
    if (referencedVariable(value) !== null) return []
    const isText = !isMap(value) && secretsOf(type).includes(name)
    if (isText) return value === REDACTED || value === null ? [] : [literalSecret(field)]
    const issues = valueIssues(type, name, value, path)
    if (issues.length > 0 || !isMap(value)) return issues
    return Object.entries(value)
      .filter(([member, text]) => isSecret(type, `${name}.${member}`) && isLiteral(text))
      .map(([member]) => literalSecret(`${field}.${member}`))
  }

  return {
    secretsOf,
    isSecret,
    decode: (type, config) =>
      Object.fromEntries(
        Object.entries(config).map(([name, value]) => [
          name,
          referencedVariable(value) === null
            ? (fieldOf(type, name)?.decode(value) ?? value)
            : value,
        ]),
      ),
    issuesOf: (type, config, path) =>
      Object.entries(config).flatMap(([name, value]) => fieldIssues(type, name, value, path)),
    valueIssues,
    readVariable(type, path, text) {
      const field = fieldOf(type, path)
      const kinds = JSON.stringify(field?.schema ?? {})
      if (kinds.includes('"integer"')) return /^\d{1,15}$/.test(text) ? Number(text) : text
      if (kinds.includes('"boolean"')) return truthValues.get(text) ?? text
      return field?.decode(text) ?? text
    },
    defaultOf: (type, name) => fieldOf(type, name)?.schema.default ?? null,
  }
}

const truthValues = new Map([
  ['true', true],
  ['false', false],
])

const fieldsOf = (properties: TProperties): Map<string, ConfigField> =>
  new Map(
    Object.entries(properties).map(([field, schema]) => {
      const nullable = isNullable(schema) ? schema : Nullable(schema)
      const validate = compileValidator(Type.Object({ [field]: nullable }), 'config')
      return [field, { schema, decode: compileDecoder(nullable), validate }]
    }),
  )

const isNullable = (schema: TSchema): boolean =>
  (schema.anyOf as TSchema[] | undefined)?.some(({ type }) => type === 'null') ?? false

const fieldNameOf = (path: string): string => path.split('.', 1)[0] ?? path

export const isMap = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** True for a text that is neither a reference nor the marker. */
export const isLiteral = (value: unknown): boolean =>
  typeof value === 'string' && value !== REDACTED && referencedVariable(value) === null

export const literalSecret = (field: string): Issue => ({
  field,
  message: `${field} is a secret: use a variable, such as \${NAME}`,
})

/** Copies a config with `map` applied to each value, and to each member of a map with its path. */
export const mapConfig = (
  config: ConfigValues,
  map: (value: unknown, path: string) => unknown,
): ConfigValues =>
  Object.fromEntries(
    Object.entries(config).map(([field, value]) => [
      field,
      isMap(value)
        ? Object.fromEntries(
            Object.entries(value).map(([name, member]) => [name, map(member, `${field}.${name}`)]),
          )
        : map(value, field),
    ]),
  )

/** Names of the variables that a config refers to. */
export const variablesIn = (config: ConfigValues): string[] => {
  const names: string[] = []
  mapConfig(config, (value) => {
    const name = referencedVariable(value)
    if (name !== null) names.push(name)
  })
  return names
}

/** Value at a path of a config, such as `headers.Key`. */
export const valueAt = (config: ConfigValues, path: string): unknown => {
  const name = fieldNameOf(path)
  const value = config[name]
  if (name === path) return value
  return isMap(value) ? value[path.slice(name.length + 1)] : undefined
}

export interface ConfigExport {
  type: string
  /** Stored config with decrypted secrets. */
  live: ConfigValues
  /** Config of the last document: canonical, and as written. Empty when it has none. */
  desired: ConfigValues
  written: ConfigValues
  variables: ReadonlyMap<string, string>
}

/**
 * Config as an export shows it: a value of the last document as written if it still holds, secrets
 * as the reference that has their value, otherwise as the marker.
 */
export const exportConfig = (typed: TypedConfig, input: ConfigExport): ConfigValues => {
  const { type, live, desired, written } = input
  const entries = Object.entries(live).flatMap(([field, value]): [string, unknown][] => {
    const fallback = typed.defaultOf(type, field)
    const shown = shownValue(typed, input, field, value)
    const isWritten = Object.hasOwn(written, field)
    const desiredValue = desired[field] ?? null
    if (isWritten && isDeepStrictEqual(desiredValue ?? fallback, shown ?? fallback)) {
      return [[field, written[field]]]
    }
    // A text in the form of a reference cannot be written. An omitted field stays unchanged.
    const isReference = referencedVariable(shown) !== null
    const isDefault = shown === null || isDeepStrictEqual(shown, fallback)
    return isReference || isDefault ? [] : [[field, shown]]
  })
  return Object.fromEntries(entries)
}

const shownValue = (
  typed: TypedConfig,
  { type, desired, variables }: ConfigExport,
  field: string,
  value: unknown,
): unknown => {
  const shown = (member: unknown, path: string): unknown => {
    if (member === null) return null
    const given = valueAt(desired, path)
    const text = variables.get(referencedVariable(given) ?? '')
    const isHeld =
      text !== undefined && isDeepStrictEqual(typed.readVariable(type, path, text), member)
    if (isHeld) return given
    return typed.isSecret(type, path) ? REDACTED : member
  }
  return mapConfig({ [field]: value }, shown)[field]
}

export const integrationConfig = typedConfig(integrationConfigs, integrationSecrets)

export const channelConfig = typedConfig(channelConfigs, channelSecrets)

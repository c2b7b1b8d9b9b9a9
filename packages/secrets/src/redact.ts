/**
 * Redaction of secrets: a marker in replies, exports and audit entries, a mask in logs. A marker in
 * a PATCH stands for the stored value.
 */
import { REDACTED } from '@status-page/contracts'

/** Part of a JSON schema that marks secrets: `secret: true` on the field. */
export interface SecretSchema {
  secret?: boolean
  properties?: Record<string, SecretSchema>
  additionalProperties?: SecretSchema | boolean
  patternProperties?: Record<string, SecretSchema>
  items?: SecretSchema | SecretSchema[]
  anyOf?: SecretSchema[]
  oneOf?: SecretSchema[]
  allOf?: SecretSchema[]
}

/** Maximum depth; the JSON parser rejects deeper values earlier. */
const MAX_DEPTH = 32

/**
 * Copies the value with the marker in every secret field: fields that the schema marks, or the
 * paths list (`config.webhookUrl`, `headers.*`). Null and absent fields stay: the absence of a
 * secret is not secret.
 */
export const redactSecrets = <Value>(
  secrets: SecretSchema | readonly string[],
  value: Value,
): Value => {
  const marks: Mark[] = isPaths(secrets) ? secrets.map(markOfPath) : [markOfSchema(secrets)]
  return redact(marks, value, 0) as Value
}

/**
 * Copies the settings with `map` applied to every secret text; `paths` are fields of the settings,
 * and `headers.*` is each value of a map. `map` gets the path of its text, such as `headers.Key`.
 */
export const mapSecrets = (
  paths: readonly string[],
  settings: object,
  map: (text: string, path: string) => unknown,
): Record<string, unknown> => {
  const mapped: Record<string, unknown> = { ...settings }
  for (const path of paths) {
    const field = path.replace(/\.\*$/, '')
    const value = mapped[field]
    if (typeof value === 'string') mapped[field] = map(value, field)
    else if (isRecord(value)) {
      mapped[field] = mapFields(value, (text, name) =>
        typeof text === 'string' ? map(text, `${field}.${name}`) : text,
      )
    }
  }
  return mapped
}

/** Whether a header with this name contains a secret. */
export const isSecretHeader = (name: string): boolean =>
  /^(?:authorization|cookie)$|key|token|secret|password/i.test(name)

/**
 * Replaces each marker of the input by the stored value at the same path. `missing` lists the
 * markers without a stored value: a 400, on create always.
 */
export const restoreSecrets = <Value>(
  input: Value,
  stored: unknown,
): { value: Value; missing: string[] } => {
  const missing: string[] = []
  const restore = (given: unknown, storedValue: unknown, path: string): unknown => {
    if (given === REDACTED) {
      if (typeof storedValue === 'string') return storedValue
      missing.push(path)
      return given
    }
    if (typeof given !== 'object' || given === null) return given
    const at = (key: string) =>
      isRecord(storedValue) && Object.hasOwn(storedValue, key) ? storedValue[key] : undefined
    const inside = (key: string) => (path === '' ? key : `${path}.${key}`)
    if (Array.isArray(given)) {
      return given.map((item, index) => restore(item, at(String(index)), inside(String(index))))
    }
    return mapFields(given, (item, key) => restore(item, at(key), inside(key)))
  }
  return { value: restore(input, stored, '') as Value, missing }
}

const MASK = '***'

const masks: readonly [RegExp, string][] = [
  [/\bsk_live_[A-Za-z0-9_-]+/g, `sk_live_${MASK}`],
  [/\bwhsec_[A-Za-z0-9+/=_-]+/g, `whsec_${MASK}`],
  [/\b(Bearer|Basic)\s+[A-Za-z0-9._~+/=-]{6,}/gi, `$1 ${MASK}`],
  [/([a-z][a-z0-9+.-]{0,30}:\/\/)[^\s/?#@"'<>]{1,1024}@/gi, `$1${MASK}@`],
  [
    /([?&;][\w.~%-]{0,64}(?:key|token|secret|password|passwd|signature|sig|auth|code)=)[^&#\s"'<>;]+/gi,
    `$1${MASK}`,
  ],
  [/(\/\/hooks\.slack\.com\/)[^\s"'<>]+/gi, `$1${MASK}`],
  [/(\/\/(?:[\w-]+\.)?discord(?:app)?\.com\/api\/webhooks\/)[^\s"'<>]+/gi, `$1${MASK}`],
]

/** Masks texts that look like credentials; the logger's last protection. */
export const maskCredentials = (text: string): string =>
  masks.reduce((masked, [pattern, replacement]) => masked.replace(pattern, replacement), text)

/** Marks which parts of a value are secrets. */
interface Mark {
  isSecret: boolean
  into(key: string): Mark[]
}

const isPaths = (secrets: SecretSchema | readonly string[]): secrets is readonly string[] =>
  Array.isArray(secrets)

const markOfPath = (path: string): Mark => markOfSteps(path.split('.'))

const markOfSteps = ([step, ...rest]: string[]): Mark => ({
  isSecret: step === undefined,
  into: (key) => (step === '*' || step === key ? [markOfSteps(rest)] : []),
})

/**
 * Marks of a schema with all its variants: a field that is secret in one of them is hidden in each.
 */
const markOfSchema = (schema: SecretSchema): Mark => {
  const variants = [...(schema.anyOf ?? []), ...(schema.oneOf ?? []), ...(schema.allOf ?? [])].map(
    markOfSchema,
  )
  return {
    isSecret: schema.secret === true || variants.some((variant) => variant.isSecret),
    into: (key) => [
      ...childSchemas(schema, key).map(markOfSchema),
      ...variants.flatMap((variant) => variant.into(key)),
    ],
  }
}

const childSchemas = (schema: SecretSchema, key: string): SecretSchema[] => {
  const { properties, patternProperties, additionalProperties, items } = schema
  const children: SecretSchema[] = []
  if (properties !== undefined && Object.hasOwn(properties, key)) {
    children.push(properties[key] as SecretSchema)
  } else if (typeof additionalProperties === 'object') children.push(additionalProperties)
  children.push(...Object.values(patternProperties ?? {}))
  if (items !== undefined && /^\d+$/.test(key)) children.push(...[items].flat())
  return children
}

const redact = (marks: Mark[], value: unknown, depth: number): unknown => {
  if (value === null || value === undefined || marks.length === 0) return value
  if (marks.some((mark) => mark.isSecret) || depth > MAX_DEPTH) return REDACTED
  if (typeof value !== 'object' || value instanceof Date) return value
  const below = (item: unknown, key: string) =>
    redact(
      marks.flatMap((mark) => mark.into(key)),
      item,
      depth + 1,
    )
  if (Array.isArray(value)) return value.map((item, index) => below(item, String(index)))
  return mapFields(value, below)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

/** `Object.fromEntries` defines own fields, so a key named `__proto__` stays a plain field. */
const mapFields = (record: object, map: (value: unknown, key: string) => unknown) =>
  Object.fromEntries(Object.entries(record).map(([key, value]) => [key, map(value, key)]))

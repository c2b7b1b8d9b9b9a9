/**
 * Decoding of input by a schema. Bodies are never coerced: unknown fields are dropped, defaults are
 * added, texts take their canonical form. Query texts are converted to the type of their field.
 * Pure and total: a value that does not fit is passed on unchanged and fails validation.
 */
import type { TSchema } from '@sinclair/typebox'
import { type Issue, throwIssues } from '@status-page/contracts'
import { keyPatternOf } from './any-key.ts'
import { textFormats } from './formats.ts'

export type Decode = (value: unknown) => unknown

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Compiles a schema into a function that decodes its values. */
export const compileDecoder = (schema: TSchema): Decode => {
  if (schema.anyOf !== undefined) return decodeNullable(schema)
  if (schema.oneOf !== undefined) return decodeTagged(schema)
  if (schema.type === 'array') return decodeArray(schema)
  if (schema.type === 'object') return decodeObject(schema)
  const canonical =
    schema.type === 'string' ? textFormats[schema.format ?? '']?.canonical : undefined
  if (canonical === undefined) return (value) => value
  return (value) => (typeof value === 'string' ? (canonical(value) ?? value) : value)
}

/** Decodes a union with null by its other member; any other union stays unchanged. */
const decodeNullable = (schema: TSchema): Decode => {
  const members: TSchema[] = schema.anyOf.filter((member: TSchema) => member.type !== 'null')
  const [only, ...others] = members
  return only !== undefined && others.length === 0 ? compileDecoder(only) : (value) => value
}

const decodeTagged = (schema: TSchema): Decode => {
  const tag: string | undefined = schema.discriminator?.propertyName
  if (tag === undefined) return (value) => value
  const variants = new Map<unknown, Decode>(
    schema.oneOf.map((variant: TSchema) => [
      variant.properties[tag].const,
      compileDecoder(variant),
    ]),
  )
  return (value) => {
    if (!isRecord(value)) return value
    return variants.get(value[tag])?.(value) ?? { [tag]: value[tag] }
  }
}

const decodeArray = (schema: TSchema): Decode => {
  const item = compileDecoder(schema.items ?? {})
  const maxItems: number = schema.maxItems ?? Number.POSITIVE_INFINITY
  // A longer list is rejected for its length; its entries are not read.
  return (value) => (Array.isArray(value) && value.length <= maxItems ? value.map(item) : value)
}

const decodeObject = (schema: TSchema): Decode => {
  if (schema.properties === undefined) return decodeMap(schema)
  const fields = Object.entries<TSchema>(schema.properties).map(([name, field]) => ({
    name,
    decode: compileDecoder(field),
    fallbackOf: fallbackOf(field.default),
  }))
  return (value) => {
    if (!isRecord(value)) return value
    const decoded: Record<string, unknown> = {}
    for (const { name, decode, fallbackOf } of fields) {
      const values = Object.hasOwn(value, name) ? value[name] : undefined
      if (values !== undefined) decoded[name] = decode(values)
      else if (fallbackOf !== undefined) decoded[name] = fallbackOf()
    }
    return decoded
  }
}

/**
 * Returns a function that copies an object default each time; scalars need no copy, which costs a
 * microsecond.
 */
const fallbackOf = (fallback: unknown): (() => unknown) | undefined => {
  if (fallback === undefined) return undefined
  return typeof fallback === 'object' && fallback !== null
    ? () => structuredClone(fallback)
    : () => fallback
}

/** Decodes a map. Keys that the schema does not describe are retained for validation to refuse. */
const decodeMap = (schema: TSchema): Decode => {
  const patterns = Object.entries<TSchema>(schema.patternProperties ?? {}).map(
    ([pattern, member]) => ({
      pattern: new RegExp(keyPatternOf(pattern), 'u'),
      decode: compileDecoder(member),
    }),
  )
  const rest = isRecord(schema.additionalProperties)
    ? compileDecoder(schema.additionalProperties as unknown as TSchema)
    : undefined
  return (value) => {
    if (!isRecord(value)) return value
    const entries = Object.entries(value).map(([key, member]) => {
      const decode = patterns.find(({ pattern }) => pattern.test(key))?.decode ?? rest
      return [key, decode === undefined ? member : decode(member)]
    })
    return Object.fromEntries(entries)
  }
}

/** Decodes a query string or a form: known names once, each converted to the type of its field. */
export const compileQueryDecoder = (
  schema: TSchema,
): ((text: string) => Record<string, unknown>) => {
  const fields = new Map(
    Object.entries<TSchema>(schema.properties ?? {}).map(([name, field]) => [
      name,
      { parse: parserOf(field), decode: compileDecoder(field), fallback: field.default },
    ]),
  )
  return (text) => {
    const values = pairsOf(text, fields)
    const decoded: Record<string, unknown> = {}
    for (const [name, { parse, decode, fallback }] of fields) {
      const value = values.get(name)
      if (value !== undefined) decoded[name] = decode(parse(value))
      else if (fallback !== undefined) decoded[name] = structuredClone(fallback)
    }
    return decoded
  }
}

const pairsOf = (text: string, known: ReadonlyMap<string, unknown>): Map<string, string> => {
  const pairs = new Map<string, string>()
  const issues: Issue[] = []
  for (const part of text.split('&')) {
    const equals = part.indexOf('=')
    const name = percentDecoded(equals === -1 ? part : part.slice(0, equals))
    if (name === null || !known.has(name)) continue
    const value = equals === -1 ? '' : percentDecoded(part.slice(equals + 1))
    if (value === null || value.includes('\0')) {
      issues.push({ field: name, message: `${name} is not valid text` })
    } else if (pairs.has(name)) {
      issues.push({ field: name, message: `${name} must be given once` })
    } else pairs.set(name, value)
  }
  throwIssues(issues)
  return pairs
}

/** Decodes percent escapes; null for broken escapes and for bytes that are not UTF-8. */
const percentDecoded = (text: string): string | null => {
  try {
    return decodeURIComponent(text.replaceAll('+', ' '))
  } catch {
    return null
  }
}

const digits = /^\d+$/
const decimal = /^-?\d+(?:\.\d+)?$/
const booleans = new Map([
  ['true', true],
  ['false', false],
])

const parserOf = (schema: TSchema): ((text: string) => unknown) => {
  const [only] = (schema.anyOf ?? []).filter((member: TSchema) => member.type !== 'null')
  if (only !== undefined) return parserOf(only)
  switch (schema.type) {
    case 'integer':
      // Numbers beyond the safe range only need to stay too large.
      return (text) => (digits.test(text) ? Math.min(Number(text), Number.MAX_SAFE_INTEGER) : text)
    case 'number':
      return (text) => (decimal.test(text) ? Number(text) : text)
    case 'boolean':
      return (text) => booleans.get(text) ?? text
    case 'array': {
      const item = parserOf(schema.items ?? {})
      return (text) => text.split(',').map(item)
    }
    default:
      return (text) => text
  }
}

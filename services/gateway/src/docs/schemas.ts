/**
 * Conversion of the contract's schemas to OpenAPI 3.1: standard formats, named schemas, no
 * extensions.
 */
import * as contracts from '@status-page/contracts'

export type JsonObject = Record<string, unknown>

/** Formats of the contract with an equivalent in JSON Schema; `formatNotes` describes others. */
const standardFormats: Readonly<Record<string, string>> = {
  uuid: 'uuid',
  timestamp: 'date-time',
  mailbox: 'email',
  'http-url': 'uri',
  'check-url': 'uri',
  'https-url': 'uri',
  'image-url': 'uri',
  password: 'password',
}
const formatNotes: Readonly<Record<string, string>> = {
  'https-url': 'https only',
  'image-url': 'https only, or the `url` of an upload',
  'support-url': 'An http, https or mailto URL',
  phone: 'E.164, such as +14155550123',
  'time-zone': 'IANA name, such as Europe/Berlin',
}

/** Letter or digit of a host name, including internationalized ones. */
const LABEL_LETTER = '[A-Za-z0-9\\u00a1-\\uffff]'
const LABEL = `${LABEL_LETTER}(?:[A-Za-z0-9\\u00a1-\\uffff-]{0,61}${LABEL_LETTER})?`
const TOP_LABEL = `[A-Za-z\\u00a1-\\uffff](?:[A-Za-z0-9\\u00a1-\\uffff-]{0,61}${LABEL_LETTER})?`

const CONTROL = '\\u0000-\\u001f\\u007f-\\u009f\\u2028\\u2029'

/** Pattern of the word in any case; a pattern of JSON Schema has no flags. */
const anyCase = (word: string): string =>
  word.replace(/[a-z]/g, (letter) => `[${letter.toUpperCase()}${letter}]`)

/**
 * Necessary conditions of a format, so that clients detect most errors before they send a request.
 */
const formatPatterns: Readonly<Record<string, string>> = {
  timestamp: '^(19[7-9][0-9]|[2-9][0-9]{3})-',
  'one-line': `^[^${CONTROL}]*$`,
  'long-text': '^[^\\u0000-\\u0008\\u000b-\\u001f\\u007f]*$',
  domain: `^(?:${LABEL}\\.)+${TOP_LABEL}$`,
  'http-url': '^[Hh][Tt][Tt][Pp][Ss]?:',
  'check-url': `^(?:${contracts.checkSchemes.map(anyCase).join('|')}):`,
  'https-url': '^[Hh][Tt][Tt][Pp][Ss]:',
  'image-url': '^[Hh][Tt][Tt][Pp][Ss]?:',
  'support-url': '^(?:[Hh][Tt][Tt][Pp][Ss]?|[Mm][Aa][Ii][Ll][Tt][Oo]):',
  phone: '^\\+[1-9][0-9]{6,14}$',
  'time-zone': '^[A-Za-z][A-Za-z0-9_+/-]*$',
}

/** Keywords of the contract that are not part of an OpenAPI schema. */
const hints: ReadonlySet<string> = new Set(['style', 'explode', 'secret'])

/** Names of the exported object schemas, by their JSON: a schema may have been copied. */
const namedSchemas: ReadonlyMap<string, string> = new Map(
  Object.entries(contracts).flatMap(([name, value]): [string, string][] =>
    isObjectSchema(value) && /^[A-Z]/.test(name) && !/EventData$|Params$/.test(name)
      ? [[JSON.stringify(value), componentName(name)]]
      : [],
  ),
)

/**
 * Name of a schema in the document. `New` is replaced, because Go generators name the constructor
 * of a type `X` `NewX`.
 */
function componentName(name: string): string {
  return name.replace(/^New(?=[A-Z])/, 'Create')
}

function isObjectSchema(value: unknown): value is JsonObject {
  if (typeof value !== 'object' || value === null) return false
  const { type, properties, oneOf } = value as JsonObject
  return type === 'object' && (properties !== undefined || oneOf !== undefined)
}

/** Creates a converter that collects the named schemas that it refers to. */
export const createConverter = () => {
  const components: Record<string, JsonObject> = {}

  const refer = (schema: JsonObject): JsonObject | null => {
    const name = namedSchemas.get(JSON.stringify(schema))
    if (name === undefined) return null
    if (components[name] === undefined) {
      components[name] = {}
      components[name] = convertInline(schema)
    }
    return { $ref: `#/components/schemas/${name}` }
  }

  const convert = (schema: JsonObject): JsonObject => refer(schema) ?? convertInline(schema)

  const convertInline = (schema: JsonObject): JsonObject => {
    const nullable = nullableOf(schema)
    if (nullable !== null) return orNull(convert(nullable), schema)
    const converted: JsonObject = {}
    for (const [key, value] of Object.entries(schema)) {
      if (hints.has(key) || key === 'discriminator') continue
      if (key === 'format') Object.assign(converted, formatOf(String(value), schema))
      else if (key !== 'documented') converted[key] = convertMember(key, value)
    }
    return { ...converted, ...(schema.documented as JsonObject | undefined) }
  }

  const convertMember = (key: string, value: unknown): unknown => {
    if (key === 'properties' || key === 'patternProperties') return mapValues(value as JsonObject)
    if (['anyOf', 'oneOf', 'allOf'].includes(key)) return (value as JsonObject[]).map(convert)
    const isSchema = typeof value === 'object' && value !== null && !Array.isArray(value)
    const holdsSchema = key === 'items' || key === 'additionalProperties'
    return holdsSchema && isSchema ? convert(value as JsonObject) : value
  }

  const mapValues = (properties: JsonObject): JsonObject =>
    Object.fromEntries(
      Object.entries(properties).map(([name, schema]) => [name, convert(schema as JsonObject)]),
    )

  return { components, convert }
}

/** Returns the schema of a pair of one schema and null; null for any other schema. */
const nullableOf = ({ anyOf }: JsonObject): JsonObject | null => {
  if (!Array.isArray(anyOf) || anyOf.length !== 2) return null
  const [first, second] = anyOf as [JsonObject, JsonObject]
  return second.type === 'null' ? first : null
}

const orNull = (converted: JsonObject, { description }: JsonObject): JsonObject => {
  const note = description === undefined ? {} : { description }
  const { type } = converted
  if (typeof type !== 'string' || 'const' in converted) {
    return { anyOf: [converted, { type: 'null' }], ...note }
  }
  const { enum: values } = converted
  const closed = Array.isArray(values) ? { enum: [...values, null] } : {}
  return { ...converted, ...closed, type: [type, 'null'], ...note }
}

const formatOf = (format: string, { description, pattern }: JsonObject): JsonObject => {
  const note = formatNotes[format]
  const known = standardFormats[format]
  const required = formatPatterns[format]
  return {
    ...(known === undefined ? {} : { format: known }),
    ...(required === undefined || pattern !== undefined ? {} : { pattern: required }),
    ...(note === undefined || description !== undefined ? {} : { description: note }),
  }
}

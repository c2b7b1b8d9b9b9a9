/**
 * Cooperative JSON serialisation of responses with long lists: an incident with its updates can be
 * 50 MB.
 */
import type { TSchema } from '@sinclair/typebox'
import type { Cooperative } from '@status-page/contracts'
import { TextBytes } from './text-bytes.ts'

/** Minimum length of a list that is written entry by entry. */
const MIN_ENTRIES = 10

export type Serialise = (value: Record<string, unknown>) => string
export type SerialiserOf = (schema: TSchema) => Serialise

type Lists = [name: string, entries: readonly unknown[]][]

/** Whether a field of the value, or of one of its entries, is a long list. */
export const hasLongList = (schema: TSchema, value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  listFieldsOf(schema).some((name) => {
    const entries = (value as Record<string, unknown>)[name]
    if (!Array.isArray(entries)) return false
    const { items } = schema.properties[name]
    return entries.length >= MIN_ENTRIES || entries.some((entry) => hasLongList(items, entry))
  })

/** Lists among the fields of an object. */
const listsOf = (schema: TSchema, value: unknown): Lists => {
  const names = listFieldsOf(schema)
  if (names.length === 0 || typeof value !== 'object' || value === null) return []
  return names.flatMap((name) => {
    const entries = (value as Record<string, unknown>)[name]
    return Array.isArray(entries) ? [[name, entries] as Lists[number]] : []
  })
}

/** Names of the list fields by schema, cached because a schema is read for each entry of a list. */
const listFields = new WeakMap<TSchema, readonly string[]>()

const listFieldsOf = (schema: TSchema): readonly string[] => {
  const known = listFields.get(schema)
  if (known !== undefined) return known
  const names = Object.entries<TSchema>(schema.properties ?? {}).flatMap(([name, field]) =>
    field.type === 'array' && field.items !== undefined ? [name] : [],
  )
  listFields.set(schema, names)
  return names
}

/** Bytes of `serialiserOf(schema)(value)`, with long lists after the other fields. */
export function* encodeLongLists(
  schema: TSchema,
  value: unknown,
  serialiserOf: SerialiserOf,
): Cooperative<Buffer> {
  const text = new TextBytes()
  yield* writeLongLists(text, { schema, value, serialiserOf })
  return text.toBuffer()
}

interface Serialised {
  schema: TSchema
  value: unknown
  serialiserOf: SerialiserOf
}

function* writeLongLists(
  text: TextBytes,
  { schema, value, serialiserOf }: Serialised,
): Cooperative<void> {
  const object = value as Record<string, unknown>
  if (!hasLongList(schema, value)) return text.append(serialiserOf(schema)(object))
  const lists = listsOf(schema, value)
  const names = lists.map(([name]) => name)
  const rest = { ...object }
  for (const name of names) delete rest[name]
  const start = serialiserOf(withoutFields(schema, names))(rest).slice(0, -1)
  text.append(start)
  for (const [position, [name, entries]] of lists.entries()) {
    text.append(`${start === '{' && position === 0 ? '' : ','}${JSON.stringify(name)}:[`)
    for (const [index, entry] of entries.entries()) {
      if (index > 0) text.append(',')
      const { items } = schema.properties[name]
      yield* writeLongLists(text, { schema: items, value: entry, serialiserOf })
      yield
    }
    text.append(']')
  }
  text.append('}')
}

/**
 * Reduced schemas, one for each combination of fields, since serialisers are compiled per schema
 * object.
 */
const reduced = new WeakMap<TSchema, Map<string, TSchema>>()

const withoutFields = (schema: TSchema, names: readonly string[]): TSchema => {
  const byFields = reduced.get(schema) ?? new Map<string, TSchema>()
  reduced.set(schema, byFields)
  const key = names.join()
  const found = byFields.get(key)
  if (found !== undefined) return found
  const without = (entries: [string, unknown][]) =>
    Object.fromEntries(entries.filter(([name]) => !names.includes(name)))
  const properties = without(Object.entries(schema.properties))
  const required = (schema.required ?? []).filter((name: string) => !names.includes(name))
  const reducedSchema = { ...schema, properties, required } as TSchema
  byFields.set(key, reducedSchema)
  return reducedSchema
}

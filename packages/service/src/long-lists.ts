/**
 * Cooperative JSON serialisation of responses with long lists: an incident with its updates can be
 * 50 MB.
 */
import type { TSchema } from '@sinclair/typebox'
import type { Cooperative } from '@status-page/contracts'
import { encodeCooperatively } from './encode-cooperatively.ts'

/** Minimum length of a list that is written entry by entry. */
const MIN_ENTRIES = 10

type Serialise = (value: Record<string, unknown>) => string
export type SerialiserOf = (schema: TSchema) => Serialise

type Lists = [name: string, entries: readonly unknown[]][]

/** Whether a field of the value, or of one of its entries, is a long list. */
export const hasLongList = (schema: TSchema, value: unknown): boolean =>
  listsOf(schema, value).some(
    ([name, entries]) =>
      entries.length >= MIN_ENTRIES ||
      entries.some((entry) => hasLongList(schema.properties[name].items, entry)),
  )

/** Lists among the fields of an object. */
const listsOf = ({ properties }: TSchema, value: unknown): Lists =>
  typeof value !== 'object' || value === null
    ? []
    : Object.entries<TSchema>(properties ?? {}).flatMap(([name, { type, items }]) => {
        const entries = (value as Record<string, unknown>)[name]
        return type === 'array' && items !== undefined && Array.isArray(entries)
          ? [[name, entries] as Lists[number]]
          : []
      })

/** Serialises like `serialiserOf(schema)(value)`, with long lists after the other fields. */
export function* serialiseLongLists(
  schema: TSchema,
  value: unknown,
  serialiserOf: SerialiserOf,
): Cooperative<string> {
  if (!hasLongList(schema, value)) return serialiserOf(schema)(value as Record<string, unknown>)
  const names = listsOf(schema, value).map(([name]) => name)
  const rest = { ...(value as Record<string, unknown>) }
  for (const name of names) delete rest[name]
  let text = serialiserOf(withoutFields(schema, names))(rest).slice(0, -1)
  for (const [name, entries] of listsOf(schema, value)) {
    text += `${text === '{' ? '' : ','}${JSON.stringify(name)}:[`
    for (const [index, entry] of entries.entries()) {
      if (index > 0) text += ','
      text += yield* serialiseLongLists(schema.properties[name].items, entry, serialiserOf)
      yield
    }
    text += ']'
  }
  return `${text}}`
}

/** Returns the bytes of `serialiseLongLists`. */
export function* encodeLongLists(
  ...list: Parameters<typeof serialiseLongLists>
): Cooperative<Buffer> {
  return yield* encodeCooperatively(yield* serialiseLongLists(...list))
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

/** JSON text of a list, one entry at a time: 100 incidents with their updates can be some MiB. */
import type { TSchema } from '@sinclair/typebox'
import type { Cooperative } from '@status-page/contracts'

/** Shorter lists are written at once. */
const MIN_ENTRIES = 10

interface List {
  data: readonly unknown[]
  meta: unknown
}

type Serialise = (value: Record<string, unknown>) => string

/** Returns whether the schema is that of a list, with `data` and `meta` alone, and the list has many entries. */
export const isLargeList = (schema: TSchema, value: unknown): value is List => {
  const { data, meta, ...others } = (schema.properties ?? {}) as Record<string, TSchema>
  if (data?.type !== 'array' || meta === undefined || Object.keys(others).length > 0) return false
  const given = (value as Partial<List>).data
  return Array.isArray(given) && given.length >= MIN_ENTRIES
}

export function* listText(
  { properties }: TSchema,
  { data, meta }: List,
  serialiserOf: (schema: TSchema) => Serialise,
): Cooperative<string> {
  const serialise = serialiserOf(properties.data.items)
  let text = '{"data":['
  for (const [index, entry] of data.entries()) {
    text += (index === 0 ? '' : ',') + serialise(entry as Record<string, unknown>)
    yield
  }
  return `${text}],"meta":${serialiserOf(properties.meta)(meta as Record<string, unknown>)}}`
}

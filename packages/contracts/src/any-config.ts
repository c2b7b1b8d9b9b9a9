/**
 * Settings of any kind of a tagged union, as in replies and in a PATCH, where the kind is not
 * known yet; the schema of the kind validates them.
 */
import { type Static, type TObject, type TSchema, Type } from '@sinclair/typebox'
import { Nullable, REDACTED, withDocumentedKeywords } from './scalars.ts'

/** Settings of each kind. Fields of one name have the same JSON type in every kind. */
type Configs = Readonly<Record<string, TObject>>

/** Settings as stored, with every field. */
export type StoredConfigs<Kinds extends Configs> = {
  [Kind in keyof Kinds]: Required<Static<Kinds[Kind]>>
}

/** Each field of each kind, optional. */
export type AnyConfig<Kinds extends Configs> = {
  [Field in FieldOf<StoredConfigs<Kinds>>]?: Loose<
    ValueOf<StoredConfigs<Kinds>[keyof Kinds], Field>
  > | null
}
type FieldOf<Stored> = { [Kind in keyof Stored]: keyof Stored[Kind] }[keyof Stored]
type ValueOf<Config, Field extends PropertyKey> =
  Config extends Readonly<Record<Field, infer Value>> ? NonNullable<Value> : never
type Loose<Value> = Value extends string ? string : Value

const looseSchemas: Record<string, (schema: TSchema) => TSchema> = {
  string: () => Type.String(),
  integer: () => Type.Integer(),
  boolean: () => Type.Boolean(),
  array: ({ maxItems }) => Type.Array(Type.String(), { maxItems, uniqueItems: true }),
  object: ({ maxProperties }) => Type.Record(Type.String(), Type.String(), { maxProperties }),
}

/** Keywords of a field that the document states for any kind. */
const documented = ['minLength', 'maxLength', 'minimum', 'maximum', 'enum']

const looseSchemaOf = (schema: TSchema): TSchema => {
  const value: TSchema = schema.anyOf?.[0] ?? schema
  const loose = (looseSchemas[value.type] as typeof looseSchemaOf)(value)
  const keywords = Object.entries(value).filter(([keyword]) => documented.includes(keyword))
  // No format accepts an empty text, unless its schema states the length.
  const nonEmpty = value.format === undefined ? {} : { minLength: 1 }
  const stated: { minLength?: number } = { ...nonEmpty, ...Object.fromEntries(keywords) }
  // A secret can also be the marker.
  if (stated.minLength !== undefined) {
    stated.minLength = Math.min(stated.minLength, REDACTED.length)
  }
  return Type.Optional(Nullable(withDocumentedKeywords(loose, stated)))
}

export const anyConfigOf = <Kinds extends Configs>(kinds: Kinds) =>
  Type.Unsafe<AnyConfig<Kinds>>(
    Type.Object(
      Object.fromEntries(
        Object.values(kinds).flatMap(({ properties }) =>
          Object.entries(properties).map(([field, schema]) => [field, looseSchemaOf(schema)]),
        ),
      ),
    ),
  )

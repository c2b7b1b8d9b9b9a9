/**
 * Body of a PATCH: only the fields present change; null clears a field that is optional on
 * creation.
 */
import {
  type Static,
  type TOptional,
  type TProperties,
  type TSchema,
  Type,
} from '@sinclair/typebox'
import { Nullable } from './scalars.ts'

type Cleared<Schema extends TSchema, Field, Required> = Field extends Required
  ? Static<Schema>
  : Static<Schema> | null

export type Patch<Fields extends TProperties, Required extends keyof Fields> = {
  [Field in keyof Fields]?: Cleared<Fields[Field], Field, Required>
}

const withoutDefault = (schema: TSchema): TSchema => {
  const { default: _default, ...rest } = schema
  return rest as TSchema
}

/**
 * Makes every field optional and states its default in the description, so that an absent field
 * stays absent.
 */
export const withoutDefaults = <Fields extends TProperties>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => {
      const { default: value, description, ...rest } = schema
      const stated = value === undefined ? [] : [`Default: ${JSON.stringify(value)}`]
      const sentences = [...stated, ...(description === undefined ? [] : [description])]
      return [name, Type.Optional({ ...rest, description: sentences.join('. ') } as TSchema)]
    }),
  ) as { [Field in keyof Fields]: TOptional<Fields[Field]> }

const isNullable = (schema: TSchema): boolean =>
  (schema.anyOf as TSchema[] | undefined)?.some(({ type }) => type === 'null') ?? false

/** Makes every field optional without default; fields that are not in `required` accept null. */
export const patchSchemaOf = <
  Fields extends TProperties,
  const Required extends readonly (keyof Fields)[],
>(
  fields: Fields,
  required: Required,
) =>
  Type.Unsafe<Patch<Fields, Required[number]>>(
    Type.Object(
      Object.fromEntries(
        Object.entries(fields).map(([name, schema]) => {
          const plain = withoutDefault(schema)
          const keeps = required.includes(name) || isNullable(plain)
          return [name, Type.Optional(keeps ? plain : Nullable(plain))]
        }),
      ),
    ),
  )

/** Makes every field optional; defaults remain. */
export const optional = <Fields extends TProperties>(fields: Fields) =>
  Object.fromEntries(
    Object.entries(fields).map(([name, schema]) => [name, Type.Optional(schema)]),
  ) as { [Field in keyof Fields]: TOptional<Fields[Field]> }

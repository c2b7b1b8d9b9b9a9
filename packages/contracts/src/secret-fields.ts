/** Paths of a schema's fields, and the fields that the contract marks as secrets. */
import type { TSchema } from '@sinclair/typebox'

export interface SchemaField {
  /** Path, such as `config.*.token` or `codes[]`. */
  path: string
  schema: TSchema
}

/** Returns the fields directly below a schema; variants of a union have the path of the union. */
export const fieldsOf = (schema: TSchema, path = ''): SchemaField[] => {
  const { properties = {}, patternProperties = {}, additionalProperties, items } = schema
  const below = (name: string) => (path === '' ? name : `${path}.${name}`)
  const fields: SchemaField[] = []
  for (const [name, field] of Object.entries<TSchema>(properties)) {
    fields.push({ path: below(name), schema: field })
  }
  for (const field of Object.values<TSchema>(patternProperties)) {
    fields.push({ path: below('*'), schema: field })
  }
  if (typeof additionalProperties === 'object') {
    fields.push({ path: below('*'), schema: additionalProperties })
  }
  for (const item of [items ?? []].flat()) fields.push({ path: `${path}[]`, schema: item })
  for (const variant of [schema.anyOf, schema.oneOf, schema.allOf].flatMap((all) => all ?? [])) {
    fields.push({ path, schema: variant })
  }
  return fields
}

/** Returns the paths of fields that are marked as secrets. */
export const secretFieldsOf = (schema: TSchema, path = ''): string[] =>
  schema.secret === true
    ? [path]
    : fieldsOf(schema, path).flatMap((field) => secretFieldsOf(field.schema, field.path))

/** Fields of a document that its schema does not have. */
import type { TSchema } from '@sinclair/typebox'
import { type Issue, MAX_ISSUES } from '@status-page/contracts'

/**
 * Returns fields that the schema lacks. The API drops unknown fields; in a document a misspelled
 * name would go unnoticed.
 */
export const unknownFields = (schema: TSchema, value: unknown, path: string): Issue[] => {
  if (Array.isArray(value)) {
    const items = schemaWithin(schema).items
    if (items === undefined) return []
    return value.flatMap((item, index) => unknownFields(items, item, `${path}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  const { properties } = variantOf(schemaWithin(schema), value)
  if (properties === undefined) return []
  const issues: Issue[] = []
  for (const [name, member] of Object.entries(value)) {
    // An error lists at most this many issues.
    if (issues.length >= MAX_ISSUES) break
    const field = path === '' ? name : `${path}.${name}`
    const known: TSchema | undefined = Object.hasOwn(properties, name)
      ? properties[name]
      : undefined
    if (known !== undefined) issues.push(...unknownFields(known, member, field))
    else issues.push({ field, message: `${field} is not a field of a document` })
  }
  return issues
}

const schemaWithin = (schema: TSchema): TSchema => {
  const [only, ...others] = ((schema.anyOf ?? []) as TSchema[]).filter(
    ({ type }) => type !== 'null',
  )
  return only !== undefined && others.length === 0 ? only : schema
}

/** Without a valid type the other fields of a component cannot be checked. */
const variantOf = (schema: TSchema, value: object): Partial<TSchema> => {
  if (schema.oneOf === undefined) return schema
  const { type } = value as { type?: unknown }
  const variants = schema.oneOf as TSchema[]
  return variants.find(({ properties }) => properties.type.const === type) ?? {}
}

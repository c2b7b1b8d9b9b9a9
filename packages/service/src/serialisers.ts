/**
 * JSON serialisers of replies, one per schema object, which operations share. Invariant: no
 * serialiser validates a field that is only nullable or one of several constants.
 */
import type { TSchema } from '@sinclair/typebox'
import type { Serialise } from './long-lists.ts'

const serialisers = new WeakMap<TSchema, Serialise>()

/** Returns the serialiser of a schema; compiles it at the first call. */
export const serialiserOf = (
  schema: TSchema,
  compile: (schema: Record<string, unknown>) => Serialise,
): Serialise => {
  const known = serialisers.get(schema)
  if (known !== undefined) return known
  const serialise = compile(withoutSimpleUnions(schema) as Record<string, unknown>)
  serialisers.set(schema, serialise)
  return serialise
}

/**
 * Replaces unions that need no choice between branches. The serialiser would compile an Ajv
 * validator for each branch, twelve times the work of the rest, and run it for each value.
 */
const withoutSimpleUnions = (schema: unknown): unknown => {
  if (Array.isArray(schema)) return schema.map(withoutSimpleUnions)
  if (typeof schema !== 'object' || schema === null) return schema
  const entries = Object.entries(schema).map(([key, value]) => [key, withoutSimpleUnions(value)])
  return withoutUnion(Object.fromEntries(entries))
}

const withoutUnion = (schema: Record<string, unknown>): Record<string, unknown> => {
  const { anyOf, ...rest } = schema
  if (!Array.isArray(anyOf)) return schema
  const members = anyOf.filter(({ type }) => type !== 'null')
  // Without a type, the value is written by JSON.stringify.
  if (members.every((member) => 'const' in member)) return rest
  const [only] = members
  if (members.length !== 1) return schema
  const isNullable = members.length < anyOf.length || only.nullable === true
  if (!isNullable || 'type' in only) return { ...rest, ...only, nullable: isNullable }
  // `nullable` requires a type. A union gets a branch for null; other values need none.
  if (!Array.isArray(only.anyOf)) return { ...rest, ...only }
  return { ...rest, ...only, anyOf: [...only.anyOf, { type: 'null' }] }
}

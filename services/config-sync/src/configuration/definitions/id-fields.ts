/**
 * Fields of the API that hold ids, and the fields of a document that hold names in their place. All
 * conversions follow the schema of the API. Pure.
 */
import { type TSchema, Type } from '@sinclair/typebox'
import { Email, OneLine } from '@status-page/contracts'

/** Resources that a document refers to by name; members by their address. */
export type ReferencedNoun = 'component' | 'member' | 'notification_channel'

/** Finds names for stored ids. */
export interface NameLookup {
  /** Null for a deleted resource; undefined for one that a document cannot name. */
  nameOf(noun: ReferencedNoun, id: string): string | null | undefined
}

/** Returns the id of a name; `field` is the field of an issue if there is none. */
export type ResolveName = (noun: ReferencedNoun, name: string, field: string) => string

/** Names for the ids of one field; the field is left out if it cannot be expressed. */
interface NameReader {
  nameOf(noun: ReferencedNoun, id: string): string | null
  /** Records that the stored value has no equivalent in a document. */
  markInexpressible(): void
}

interface IdField {
  /** Name of the field in a document. */
  name: string
  schemaOf(schema: TSchema): TSchema
  /** Undefined: the object that contains the field refers to a deleted resource. */
  toNames(value: unknown, reader: NameReader): unknown
  toIds(value: unknown, field: string, resolve: ResolveName): unknown
}

const MAX_NAME = 100
const Name = OneLine(MAX_NAME)

/** One reference; an entry whose reference is deleted is left out. */
const single = (name: string, noun: ReferencedNoun, schema: TSchema): IdField => ({
  name,
  schemaOf: () => schema,
  toNames: (id, reader) => reader.nameOf(noun, id as string) ?? undefined,
  toIds: (value, field, resolve) => resolve(noun, value as string, field),
})

/** Converts a list; deleted resources are left out, but never all of them. */
const withoutDeleted = <Item>(
  values: readonly unknown[],
  { markInexpressible }: Pick<NameReader, 'markInexpressible'>,
  convert: (value: unknown) => Item | null | undefined,
): Item[] => {
  const converted = values.map(convert).filter((value) => value !== null && value !== undefined)
  if (converted.length === 0 && values.length > 0) markInexpressible()
  return converted
}

const list = (name: string, noun: ReferencedNoun, item: TSchema): IdField => ({
  name,
  schemaOf: (schema) => ({ ...schema, items: item }),
  toNames: (ids, reader) =>
    withoutDeleted(ids as string[], reader, (id) => reader.nameOf(noun, id as string)),
  toIds: (names, field, resolve) =>
    (names as string[]).map((value, index) => resolve(noun, value, `${field}[${index}]`)),
})

/** Map from references to values. */
const keys = (name: string, noun: ReferencedNoun): IdField => ({
  name,
  schemaOf: ({ patternProperties, maxProperties }) =>
    Type.Record(Type.String(), Object.values<TSchema>(patternProperties)[0] as TSchema, {
      maxProperties,
    }),
  toNames: (value, reader) =>
    Object.fromEntries(
      withoutDeleted(Object.entries(value as object), reader, (entry) => {
        const [id, member] = entry as [string, unknown]
        const key = reader.nameOf(noun, id)
        return key === null ? null : [key, member]
      }),
    ),
  toIds: (value, field, resolve) =>
    Object.fromEntries(
      Object.entries(value as object).map(([key, member]) => [
        resolve(noun, key, `${field}.${key}`),
        member,
      ]),
    ),
})

const targetNouns: Readonly<Record<string, ReferencedNoun>> = {
  user: 'member',
  channel: 'notification_channel',
}

/** Targets of an escalation: `schedule`, `user:ana@example.com`, `channel:Operations`. */
const targets: IdField = {
  name: 'targets',
  schemaOf: (schema) => ({
    ...schema,
    items: Type.String({ pattern: '^(schedule|(user|channel):.+)$', maxLength: 300 }),
  }),
  toNames: (values, reader) =>
    withoutDeleted(values as string[], reader, (value) => {
      const [prefix, noun, rest] = splitTarget(value as string)
      if (noun === undefined) return prefix
      const name = reader.nameOf(noun, rest)
      return name === null ? null : `${prefix}:${name}`
    }),
  toIds: (values, field, resolve) =>
    (values as string[]).map((value, index) => {
      const [prefix, noun, rest] = splitTarget(value)
      return noun === undefined ? prefix : `${prefix}:${resolve(noun, rest, `${field}[${index}]`)}`
    }),
}

const splitTarget = (target: string): [string, ReferencedNoun | undefined, string] => {
  const colon = target.indexOf(':')
  const prefix = colon === -1 ? target : target.slice(0, colon)
  return [prefix, targetNouns[prefix], target.slice(colon + 1)]
}

/** Fields by their names in the API. */
const idFields: Readonly<Record<string, IdField>> = {
  componentId: single('component', 'component', Name),
  componentIds: list('components', 'component', Name),
  componentStatuses: keys('componentStatuses', 'component'),
  userIds: list('users', 'member', Email),
  targets,
}

/** Name of an API field in a document. */
export const documentNameOf = (field: string): string => idFields[field]?.name ?? field

/** Id of a part of a resource, such as a layer; a document has none. */
const OWN_ID = 'id'

/** Schema of a document for a schema of the API. */
export const documentSchemaOf = (schema: TSchema): TSchema => {
  if (schema.items !== undefined) return { ...schema, items: documentSchemaOf(schema.items) }
  if (schema.anyOf !== undefined) {
    return { ...schema, anyOf: (schema.anyOf as TSchema[]).map(documentSchemaOf) }
  }
  if (schema.properties === undefined) return schema
  return {
    ...schema,
    properties: Object.fromEntries(
      Object.entries<TSchema>(schema.properties)
        .filter(([field]) => field !== OWN_ID)
        .map(([field, member]) => [documentNameOf(field), documentFieldSchemaOf(field, member)]),
    ),
    ...(schema.required === undefined ? {} : { required: schema.required.map(documentNameOf) }),
  }
}

/** Schema of one field in a document; nullable if the field of the API is. */
export const documentFieldSchemaOf = (field: string, schema: TSchema): TSchema => {
  const idField = idFields[field]
  if (idField === undefined) return documentSchemaOf(schema)
  if (schema.anyOf === undefined) return idField.schemaOf(schema)
  const members = (schema.anyOf as TSchema[]).map((member) =>
    member.type === 'null' ? member : idField.schemaOf(member),
  )
  return { ...schema, anyOf: members }
}

/** Schema without the alternative null. */
const schemaWithin = (schema: TSchema): TSchema =>
  ((schema.anyOf ?? []) as TSchema[]).find(({ type }) => type !== 'null') ?? schema

/** Value of a field in a document; undefined if a document cannot express it. */
export const toDocumentValue = (
  field: string,
  schema: TSchema,
  value: unknown,
  { nameOf }: NameLookup,
): unknown => {
  let isExpressible = true
  const markInexpressible = () => {
    isExpressible = false
  }
  const reader: NameReader = {
    markInexpressible,
    nameOf(noun, id) {
      const name = nameOf(noun, id)
      if (name === undefined) markInexpressible()
      return name ?? null
    },
  }
  const converted = namesIn(field, schema, value, reader)
  return isExpressible ? converted : undefined
}

const namesIn = (field: string, schema: TSchema, value: unknown, reader: NameReader): unknown => {
  const idField = idFields[field]
  if (value === null || value === undefined) return value
  if (idField !== undefined) return idField.toNames(value, reader)
  const { items, properties } = schemaWithin(schema)
  if (items !== undefined) {
    return withoutDeleted(value as unknown[], reader, (item) => namesIn('', items, item, reader))
  }
  if (properties === undefined) return value
  const members = Object.entries(value).map(([name, member]): [string, unknown] => [
    name,
    namesIn(name, properties[name] ?? {}, member, reader),
  ])
  // An entry of a list refers to a deleted resource.
  if (members.some(([name, member]) => member === undefined && idFields[name])) {
    return undefined
  }
  return Object.fromEntries(members.map(([name, member]) => [documentNameOf(name), member]))
}

/** Value of a field as the API accepts it; `path` is the path of the field in the document. */
export const toApiValue = (
  field: string,
  schema: TSchema,
  value: unknown,
  { path, resolve }: { path: string; resolve: ResolveName },
): unknown => {
  const idField = idFields[field]
  if (value === null || value === undefined) return value
  if (idField !== undefined) return idField.toIds(value, path, resolve)
  const { items, properties } = schemaWithin(schema)
  if (items !== undefined) {
    return (value as unknown[]).map((item, index) =>
      toApiValue('', items, item, { path: `${path}[${index}]`, resolve }),
    )
  }
  if (properties === undefined) return value
  const values = value as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries<TSchema>(properties).flatMap(([name, member]) => {
      const documentName = documentNameOf(name)
      if (values[documentName] === undefined) return []
      const at = { path: `${path}.${documentName}`, resolve }
      return [[name, toApiValue(name, member, values[documentName], at)]]
    }),
  )
}

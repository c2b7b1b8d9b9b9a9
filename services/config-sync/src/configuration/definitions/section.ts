/**
 * Section of a document: a list of resources of one kind. One value per kind describes the section;
 * validation, plan, prune, drift and export derive from it.
 */
import { type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import {
  type DefinitionType,
  type documentPermissions,
  type Event,
  Nullable,
} from '@status-page/contracts'
import type { TypedConfig } from '../typed-config.ts'
import { documentFieldSchemaOf, documentNameOf } from './id-fields.ts'

export type DocumentFields = Readonly<Record<string, unknown>>

export interface SectionSecret {
  field: string
  digestOf(id: string, text: string): string
}

/** Maximum length of a reference to a variable, and of the marker. */
const MAX_REFERENCE = 100

/** The schema of the API applies to the value of the variable. */
const SecretReference = Type.Optional(Nullable(Type.String({ maxLength: MAX_REFERENCE })))

/** Description of a section, from which `sectionOf` derives the rest. */
export interface SectionSpec {
  /** Key of the list in `spec`. */
  key: string
  resourceType: DefinitionType
  /** Service that owns the resources; core by default. */
  owner?: 'core' | 'notifier'
  /** Plural noun for messages. */
  plural: string
  permission: (typeof documentPermissions)[number]
  /** Events of changes, after which Git sync proposes them to the repository. */
  events: readonly Event[]
  /** Field that identifies an entry. */
  identity: 'name' | 'slug'
  maximum: number
  /** Schema of the body that creates a resource. */
  create: TSchema
  /** Schema of the body that updates a resource. */
  patch: TSchema
  /** Fields of the API that a document cannot contain. */
  excluded?: readonly string[]
  /** Validates the field `config` by the field `type`, which every entry has and cannot change. */
  config?: TypedConfig
  /** Text field whose value is a reference to a variable, and of which a digest is stored. */
  secret?: SectionSecret
  /** Defaults that the schema does not state. */
  defaults?: DocumentFields
  /**
   * Writes values of an entry as they are stored, and completes them from the stored fields of the
   * API, such as the ids of parts.
   */
  complete?(fields: DocumentFields, stored: DocumentFields): DocumentFields
}

export interface Section extends SectionSpec {
  /** Schema of an entry. */
  entry: TSchema
  /** Fields besides the identity, by their names in a document. */
  fields: ReadonlyMap<string, SectionField>
  /** Fields that a new resource needs. */
  required: readonly string[]
}

export interface SectionField {
  /** Name of the field in the API. */
  apiName: string
  apiSchema: TSchema
  schema: TSchema
  /** Canonical value of an absent field. */
  fallback: unknown
}

export const sectionOf = (spec: SectionSpec): Section => {
  const { create, patch, identity, excluded = [], defaults = {} } = spec
  const created = (create as TObject).properties
  const fields = Object.entries((patch as TObject).properties).filter(
    ([field]) => !excluded.includes(field),
  )
  const properties: TProperties = Object.fromEntries(
    fields.map(([field, schema]) => [
      documentNameOf(field),
      field === spec.secret?.field ? SecretReference : documentFieldSchemaOf(field, schema),
    ]),
  )
  const described = fields.map(([field, apiSchema]): [string, SectionField] => {
    const name = documentNameOf(field)
    const schema = properties[name] as TSchema
    const fallback = defaults[name] ?? defaultOf(created[field] as TSchema, schema)
    return [name, { apiName: field, apiSchema, schema, fallback }]
  })
  const always = spec.config === undefined ? [identity] : [identity, 'type']
  const required = ((create as TObject).required ?? []).map(documentNameOf)
  return {
    ...spec,
    entry: { type: 'object', properties, required: always } as unknown as TSchema,
    fields: new Map(described.filter(([name]) => name !== identity)),
    required: required.filter((name) => name !== identity),
  }
}

const defaultOf = (created: TSchema, schema: TSchema): unknown => {
  if (created.default !== undefined) return canonicalValue(schema, created.default)
  const { type, properties } = schemaWithin(created)
  if (created.anyOf !== undefined) return null
  if (type === 'array') return []
  if (type === 'object') return properties === undefined ? {} : canonicalValue(schema, {})
  return null
}

const schemaWithin = (schema: TSchema): TSchema =>
  ((schema.anyOf ?? []) as TSchema[]).find(({ type }) => type !== 'null') ?? schema

const isNullable = (schema: TSchema): boolean =>
  ((schema.anyOf ?? []) as TSchema[]).some(({ type }) => type === 'null')

/** Value with every absent field of its objects set to the default, so that values compare. */
export const canonicalValue = (schema: TSchema, value: unknown): unknown => {
  const { items, properties } = schemaWithin(schema)
  if (Array.isArray(value)) return value.map((item) => canonicalValue(items ?? {}, item))
  if (properties === undefined || typeof value !== 'object' || value === null) return value
  const values = value as DocumentFields
  return Object.fromEntries(
    Object.entries<TSchema>(properties).flatMap(([name, member]) => {
      if (values[name] !== undefined) return [[name, canonicalValue(member, values[name])]]
      if (member.default !== undefined) return [[name, member.default]]
      return isNullable(member) ? [[name, null]] : []
    }),
  )
}

/** Value without the fields that an absent field means too; the opposite of `canonicalValue`. */
export const shortValue = (schema: TSchema, value: unknown): unknown => {
  const { items, properties } = schemaWithin(schema)
  if (Array.isArray(value)) return value.map((item) => shortValue(items ?? {}, item))
  if (properties === undefined || typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const memberSchema: TSchema | undefined = properties[name]
      if (memberSchema === undefined) return []
      const fallback = memberSchema.default ?? (isNullable(memberSchema) ? null : undefined)
      const isDefault = JSON.stringify(member) === JSON.stringify(fallback)
      return isDefault ? [] : [[name, shortValue(memberSchema, member)]]
    }),
  )
}

/** Canonical value of a field; null is the default. */
export const canonicalField = (section: Section, fields: DocumentFields, name: string): unknown => {
  const field = section.fields.get(name)
  return field === undefined ? null : canonicalValue(field.schema, fields[name] ?? field.fallback)
}

/** Key of a resource among all definitions. */
export const definitionKey = (type: DefinitionType, name: string): string => `${type} ${name}`

export const keyOf = ({ section, name }: { section: Section; name: string }): string =>
  definitionKey(section.resourceType, name)

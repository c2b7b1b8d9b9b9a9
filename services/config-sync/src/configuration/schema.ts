/** The shape of a document, made of the very fields that the API takes; what is not named is an error. */
import { type Static, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import {
  ComponentPatch,
  type ComponentType,
  componentTypes,
  type IntegrationType,
  integrationConfigs,
  integrationTypes,
  NewComponent,
  Nullable,
  OneLine,
  OneOf,
  TaggedUnion,
} from '@status-page/contracts'

export const MAX_COMPONENTS = 1_000
export const MAX_GROUPS = 200
export const MAX_INTEGRATIONS = 50

const name = OneLine(100)

/** Ids are not for documents: these fields have a name in their place. */
const idFields: readonly string[] = ['parentComponentId', 'integrationId']

/** Fields of a type that a document may name, beside `name` and `type`. */
export const fieldsOfType = Object.fromEntries(
  (NewComponent.oneOf as { properties: TProperties }[]).map(({ properties }) => [
    properties.type?.const,
    Object.keys(properties).filter((field) => !['name', 'type', ...idFields].includes(field)),
  ]),
) as Record<ComponentType, readonly string[]>

/** What a field is where nothing is said, by field. */
export const defaultsOfFields: Readonly<Record<string, unknown>> = Object.fromEntries(
  (NewComponent.oneOf as { properties: TProperties }[]).flatMap(({ properties }) =>
    Object.entries(properties).map(([field, schema]) => [field, schema.default ?? null]),
  ),
)

const patchFields = (ComponentPatch as unknown as { properties: TProperties }).properties

const optionalFields = (type: ComponentType): TProperties =>
  Object.fromEntries(fieldsOfType[type].map((field) => [field, patchFields[field] as TSchema]))

const componentOf = (type: ComponentType) =>
  Type.Object({
    name,
    type: Type.Literal(type),
    group: Type.Optional(Nullable(name)),
    ...(type === 'METRIC' ? { integration: Type.Optional(name) } : {}),
    ...optionalFields(type),
  })

/** A group may lie in another one. */
const Group = Type.Object({
  name,
  group: Type.Optional(Nullable(name)),
  ...optionalFields('SERVICE'),
})

const Integration = Type.Object({
  name,
  type: OneOf(integrationTypes),
  isEnabled: Type.Optional(Type.Boolean()),
  config: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
})

const listOf = (maxItems: number) =>
  Type.Optional(Nullable(Type.Array(Type.Unknown(), { maxItems })))

/** The lists of a document; their entries are judged one by one, so that no document is judged in one go. */
export const sections = {
  componentGroups: { maximum: MAX_GROUPS, entry: Group },
  integrations: { maximum: MAX_INTEGRATIONS, entry: Integration },
  components: {
    maximum: MAX_COMPONENTS,
    entry: TaggedUnion('type', componentTypes.map(componentOf)),
  },
}

/** All of it but the entries of its lists. */
export const DocumentSchema = Type.Object({
  apiVersion: Type.Literal('v1'),
  kind: Type.Literal('StatusPageConfig'),
  metadata: Type.Object({ name, configVersion: OneLine(64) }),
  spec: Type.Object({
    componentGroups: listOf(MAX_GROUPS),
    integrations: listOf(MAX_INTEGRATIONS),
    components: listOf(MAX_COMPONENTS),
  }),
})

/** As it is decoded and judged. */
export interface DecodedComponent {
  name: string
  type: ComponentType
  group?: string | null
  integration?: string
  [field: string]: unknown
}

export interface DecodedGroup {
  name: string
  group?: string | null
  [field: string]: unknown
}

export interface DecodedDocument {
  metadata: { name: string; configVersion: string }
  spec: {
    componentGroups?: DecodedGroup[] | null
    integrations?: Static<typeof Integration>[] | null
    components?: DecodedComponent[] | null
  }
}

/** A config as a document may give it: any of its fields, null to take one away. */
export const configSchemas = Object.fromEntries(
  Object.entries(integrationConfigs).map(([type, schema]) => [
    type,
    Object.fromEntries(
      Object.entries(schema.properties as TProperties).map(([field, of]) => [
        field,
        isNullable(of) ? of : Nullable(of),
      ]),
    ),
  ]),
) as Record<IntegrationType, Record<string, TSchema>>

function isNullable(schema: TSchema): boolean {
  return (schema.anyOf as TSchema[] | undefined)?.some(({ type }) => type === 'null') ?? false
}

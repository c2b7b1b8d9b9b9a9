/** Schema of a document, built from the fields of the API; unknown fields are errors. */
import { type Static, type TObject, type TProperties, type TSchema, Type } from '@sinclair/typebox'
import {
  ComponentPatch,
  type ComponentType,
  componentTypes,
  integrationTypes,
  MAX_DEPENDENCIES,
  NewComponent,
  Nullable,
  OneLine,
  OneOf,
  TaggedUnion,
} from '@status-page/contracts'
import { sections } from '../definitions/sections.ts'

export const MAX_COMPONENTS = 1_000
export const MAX_GROUPS = 200
export const MAX_INTEGRATIONS = 50

const name = OneLine(100)

/** Id fields of the API; a document has names instead. */
const idFields: readonly string[] = ['parentComponentId', 'dependsOn', 'integrationId']

/** Fields of a type that a document may have besides `name` and `type`. */
export const fieldsOfType = Object.fromEntries(
  (NewComponent.oneOf as { properties: TProperties }[]).map(({ properties }) => [
    properties.type?.const,
    Object.keys(properties).filter((field) => !['name', 'type', ...idFields].includes(field)),
  ]),
) as Record<ComponentType, readonly string[]>

/** Required fields of a type besides `name` and `type`. */
export const requiredFieldsOfType = Object.fromEntries(
  (NewComponent.oneOf as TObject[]).map(({ properties, required = [] }) => [
    properties.type?.const,
    required.filter((field) => !['name', 'type', ...idFields].includes(field)),
  ]),
) as Record<ComponentType, readonly string[]>

/** Default value by field. */
export const defaultsOfFields: Readonly<Record<string, unknown>> = Object.fromEntries(
  (NewComponent.oneOf as { properties: TProperties }[]).flatMap(({ properties }) =>
    Object.entries(properties).map(([field, schema]) => [field, schema.default ?? null]),
  ),
)

const patchFields = (ComponentPatch as unknown as { properties: TProperties }).properties

const optionalFields = (type: ComponentType): TProperties =>
  Object.fromEntries(fieldsOfType[type].map((field) => [field, patchFields[field] as TSchema]))

/** Names of components; null, like an empty list, removes all dependencies. */
const dependsOn = Type.Optional(
  Nullable(Type.Array(name, { maxItems: MAX_DEPENDENCIES, uniqueItems: true })),
)

const componentOf = (type: ComponentType) =>
  Type.Object({
    name,
    type: Type.Literal(type),
    group: Type.Optional(Nullable(name)),
    dependsOn,
    ...(type === 'METRIC' ? { integration: Type.Optional(name) } : {}),
    ...optionalFields(type),
  })

/** Groups can be nested. */
const Group = Type.Object({
  name,
  group: Type.Optional(Nullable(name)),
  dependsOn,
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

/**
 * Lists of a document. Entries are validated one by one, so that a large document does not block
 * the event loop.
 */
export const documentSections = {
  componentGroups: { maximum: MAX_GROUPS, entry: Group },
  integrations: { maximum: MAX_INTEGRATIONS, entry: Integration },
  components: {
    maximum: MAX_COMPONENTS,
    entry: TaggedUnion('type', componentTypes.map(componentOf)),
  },
  ...Object.fromEntries(sections.map(({ key, maximum, entry }) => [key, { maximum, entry }])),
}

/** Schema of a document without the entries of its lists. */
export const DocumentSchema = Type.Object({
  apiVersion: Type.Literal('v1'),
  kind: Type.Literal('StatusPageConfig'),
  metadata: Type.Object({ name, configVersion: OneLine(64) }),
  spec: Type.Object({
    componentGroups: listOf(MAX_GROUPS),
    integrations: listOf(MAX_INTEGRATIONS),
    components: listOf(MAX_COMPONENTS),
    ...Object.fromEntries(sections.map(({ key, maximum }) => [key, listOf(maximum)])),
  }),
})

/** Component entry after decoding and validation. */
export interface DecodedComponent {
  name: string
  type: ComponentType
  group?: string | null
  dependsOn?: string[] | null
  integration?: string
  [field: string]: unknown
}

export interface DecodedGroup {
  name: string
  group?: string | null
  dependsOn?: string[] | null
  [field: string]: unknown
}

export interface DecodedDocument {
  metadata: { name: string; configVersion: string }
  spec: {
    componentGroups?: DecodedGroup[] | null
    integrations?: Static<typeof Integration>[] | null
    components?: DecodedComponent[] | null
    [section: string]: unknown
  }
}

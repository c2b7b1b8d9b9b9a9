/**
 * Exports the live state as a document whose apply changes nothing. Values of the last document
 * that still hold are written unchanged. Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import { type Cooperative, conflict, REDACTED } from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import { findRepeatedNames } from './definitions/repeated-names.ts'
import type { Section } from './definitions/section.ts'
import type { DesiredComponent, DesiredDocument } from './document/document.ts'
import {
  defaultsOfFields,
  MAX_COMPONENTS,
  MAX_GROUPS,
  MAX_INTEGRATIONS,
} from './document/schema.ts'
import { exportDefinitions } from './export-definitions.ts'
import { exportWarnings } from './export-warnings.ts'
import type { LiveComponent, LiveConfiguration, LiveIntegration } from './plan/live.ts'
import { referencedVariable, variableReference } from './references.ts'
import { exportConfig, integrationConfig } from './typed-config.ts'

type Values = Record<string, unknown>

/** Last applied document: the values as written, and the desired state that they describe. */
export interface LastDocument {
  values: Values
  document: DesiredDocument
}

export interface ExportInput {
  live: LiveConfiguration
  last: LastDocument | null
  variables: ReadonlyMap<string, string>
  /** Sections of definitions to export. */
  included: readonly Section[]
  /** Name of the document when none was applied before. */
  name: string
}

export function* exportDocumentValues(
  input: ExportInput,
): Cooperative<{ values: Values; warnings: string[] }> {
  const { live, last, name } = input
  const repeated = findRepeatedNames(live.components)
  const shown = [...live.components]
    .filter((resource) => !repeated.has(resource.name))
    .sort(byOrder)
  const groupIds = groupIdsOf(input)
  const written = sectionsOf(last)
  const groups = shown.filter(({ id }) => groupIds.has(id)).length
  refuseTooMany('groups', groups, MAX_GROUPS)
  refuseTooMany('components', shown.length - groups, MAX_COMPONENTS)
  refuseTooMany('integrations', live.integrations.length, MAX_INTEGRATIONS)
  const names = nameIndexOf(input, { repeated, groupIds })
  const componentGroups: Values[] = []
  const components: Values[] = []
  for (const resource of shown) {
    const section = groupIds.has(resource.id) ? componentGroups : components
    section.push(componentEntry(input, resource, names))
    yield
  }
  const integrations = live.integrations.map((resource) => integrationEntry(input, resource))
  const definitions = yield* exportDefinitions({
    definitions: live.definitions,
    included: input.included,
    desired: last?.document.definitions ?? [],
    valuesAt: (path) => valuesAt(last, path),
    variables: input.variables,
  })
  const spec = { componentGroups, integrations, components, ...definitions.sections }
  const filled = Object.entries(spec).flatMap(([section, entries]) => {
    if (entries.length > 0) return [[section, entries]]
    // An empty section stays if the last document has it.
    const before = written[section]
    const isEmpty = before === null || (Array.isArray(before) && before.length === 0)
    return section in written ? [[section, isEmpty ? before : []]] : []
  })
  return {
    values: {
      ...(last?.values ?? {
        apiVersion: 'v1',
        kind: 'StatusPageConfig',
        metadata: { name, configVersion: '1' },
      }),
      spec: Object.fromEntries(filled),
    },
    warnings: [...exportWarnings(live, { repeated, shown }), ...definitions.warnings],
  }
}

/** Rejects an export that could not be applied again. */
const refuseTooMany = (what: string, count: number, limit: number): void => {
  if (count <= limit) return
  throw conflict('invalid_state', `There are ${count} ${what}; a document is limited to ${limit}`)
}

const sectionsOf = (last: LastDocument | null): Values => (last?.values.spec ?? {}) as Values

const byOrder = (left: LiveComponent, right: LiveComponent): number =>
  Number(left.fields.order) - Number(right.fields.order) || (left.name < right.name ? -1 : 1)

/** Groups are components with children and components that the last document lists as groups. */
const groupIdsOf = ({ live, last }: ExportInput): Set<string> => {
  const parents = new Set(live.components.map(({ parentId }) => parentId))
  const written = new Map(
    last?.document.components.map((resource) => [resource.name, resource.isGroup]),
  )
  const isGroup = ({ id, name, type }: LiveComponent) =>
    type === 'SERVICE' && (written.get(name) ?? parents.has(id))
  return new Set(live.components.filter(isGroup).map(({ id }) => id))
}

interface NameIndex {
  repeated: ReadonlySet<string>
  groupIds: ReadonlySet<string>
  components: ReadonlyMap<string, LiveComponent>
  integrations: ReadonlyMap<string, LiveIntegration>
  /** Components of the last document by name. */
  desired: ReadonlyMap<string, DesiredComponent>
}

const nameIndexOf = (
  { live, last }: ExportInput,
  sets: Pick<NameIndex, 'repeated' | 'groupIds'>,
): NameIndex => ({
  ...sets,
  components: new Map(live.components.map((resource) => [resource.id, resource])),
  integrations: new Map(live.integrations.map((resource) => [resource.id, resource])),
  desired: new Map(last?.document.components.map((resource) => [resource.name, resource])),
})

const componentEntry = (input: ExportInput, resource: LiveComponent, names: NameIndex): Values => {
  const { last } = input
  const isGroup = names.groupIds.has(resource.id)
  const namesake = names.desired.get(resource.name)
  const desired = namesake?.type === resource.type ? namesake : undefined
  const written = desired === undefined ? {} : valuesAt(last, desired.path)
  const live: Values = {
    ...relations(resource, names),
    ...resource.fields,
  }
  const entry: Values = { name: resource.name, ...(isGroup ? {} : { type: resource.type }) }
  // Fields of the last document first, in its order, then the others.
  for (const field of [...Object.keys(written), ...Object.keys(live)]) {
    if (field in entry) continue
    const value = fieldValue(input, { field, written, desired, live })
    if (value !== undefined) entry[field] = value
  }
  return entry
}

/**
 * Names of the parent, the dependencies and the integration. A parent or a list of dependencies that
 * a document cannot name is left out, which leaves it unchanged.
 */
const relations = (
  { parentId, dependencyIds, integrationId, type }: LiveComponent,
  { repeated, components, integrations }: NameIndex,
): Values => {
  const parent = components.get(parentId ?? '')
  const integration = integrations.get(integrationId ?? '')
  const dependsOn = dependencyIds.map((id) => components.get(id)?.name ?? '')
  const isNameable = parent?.type === 'SERVICE' && !repeated.has(parent.name)
  return {
    group: isNameable ? parent.name : null,
    ...(dependsOn.some((name) => repeated.has(name)) ? {} : { dependsOn }),
    ...(type === 'METRIC' ? { integration: integration?.name ?? null } : {}),
  }
}

interface Field {
  field: string
  written: Values
  desired: DesiredComponent | undefined
  live: Values
}

/**
 * Value as written if it still holds, else the live value; undefined for a default that is not
 * written.
 */
const fieldValue = (input: ExportInput, { field, written, desired, live }: Field): unknown => {
  const isWritten = Object.hasOwn(written, field)
  if (field === 'status') return isWritten ? written.status : undefined
  const value =
    field === 'headers'
      ? headersOf(input, live.headers as Record<string, string>, desired)
      : live[field]
  const fallback = defaultsOfFields[field] ?? null
  const desiredValue = desiredField(field, desired) ?? fallback
  if (isWritten && isDeepStrictEqual(desiredValue, value ?? null)) return written[field]
  return isDeepStrictEqual(value ?? null, fallback) ? undefined : value
}

const desiredField = (field: string, desired: DesiredComponent | undefined): unknown => {
  if (field === 'group') return desired?.group
  if (field === 'dependsOn') return desired?.dependsOn
  return field === 'integration' ? desired?.integration : desired?.fields[field]
}

/**
 * Writes the reference of the last document if its variable has the stored value, else the
 * redaction marker.
 */
const headersOf = (
  { variables }: ExportInput,
  headers: Readonly<Record<string, string>>,
  desired: DesiredComponent | undefined,
): Record<string, string> => {
  const given = (desired?.fields.headers ?? {}) as Record<string, string>
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!isSecretHeader(name)) return [name, value]
      const variable = referencedVariable(given[name])
      const isReference = variable !== null && variables.get(variable) === value
      return [name, isReference ? variableReference(variable) : REDACTED]
    }),
  )
}

const integrationEntry = (input: ExportInput, resource: LiveIntegration): Values => {
  const { last } = input
  const desired = last?.document.integrations.find(
    ({ name, type }) => name === resource.name && type === resource.type,
  )
  const written = desired === undefined ? {} : valuesAt(last, desired.path)
  const includesEnabled = Object.hasOwn(written, 'isEnabled') || !resource.isEnabled
  const config = exportConfig(integrationConfig, {
    type: resource.type,
    live: resource.config,
    desired: desired?.config ?? {},
    written: (written.config ?? {}) as Values,
    variables: input.variables,
  })
  const includesConfig = Object.hasOwn(written, 'config') || Object.keys(config).length > 0
  return {
    name: resource.name,
    type: resource.type,
    ...(includesEnabled ? { isEnabled: resource.isEnabled } : {}),
    ...(includesConfig ? { config } : {}),
  }
}

/** Returns the value at the path of the last document, as it was written. */
const valuesAt = (last: LastDocument | null, path: string): Values => {
  const [, section = '', index] = /^spec\.(\w+)\[(\d+)\]$/.exec(path) ?? []
  return (sectionsOf(last)[section] as Values[] | undefined)?.[Number(index)] ?? {}
}

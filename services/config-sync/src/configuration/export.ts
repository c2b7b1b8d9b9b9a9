/**
 * What there is, as the values of a document that changes nothing when it is applied. What the last document
 * says and still holds stays as it is spelled there. Pure.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  type Cooperative,
  conflict,
  integrationConfigs,
  integrationSecrets,
  REDACTED,
} from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import {
  type ConfigValue,
  readVariable,
  type WantedComponent,
  type WantedDocument,
  type WantedIntegration,
} from './document.ts'
import { exportWarnings, repeatedNames } from './export-warnings.ts'
import type { LiveComponent, LiveConfiguration, LiveIntegration } from './live.ts'
import { referenceIn, referenceTo } from './references.ts'
import { defaultsOfFields, MAX_COMPONENTS, MAX_GROUPS, MAX_INTEGRATIONS } from './schema.ts'

type Values = Record<string, unknown>

/** The document that was applied last: as it is written, and as it is meant. */
export interface LastDocument {
  values: Values
  document: WantedDocument
}

export interface Exporting {
  live: LiveConfiguration
  last: LastDocument | null
  variables: ReadonlyMap<string, string>
  /** Of a document where there was none before. */
  name: string
}

export function* exportValues(
  exporting: Exporting,
): Cooperative<{ values: Values; warnings: string[] }> {
  const { live, last, name } = exporting
  const repeated = repeatedNames(live.components)
  const shown = [...live.components].filter((one) => !repeated.has(one.name)).sort(byOrder)
  const groupIds = groupIdsOf(exporting)
  const written = sectionsOf(last)
  const groups = shown.filter(({ id }) => groupIds.has(id)).length
  refuseTooMany('groups', groups, MAX_GROUPS)
  refuseTooMany('components', shown.length - groups, MAX_COMPONENTS)
  refuseTooMany('integrations', live.integrations.length, MAX_INTEGRATIONS)
  const names = namesOf(exporting, { repeated, groupIds })
  const componentGroups: Values[] = []
  const components: Values[] = []
  for (const one of shown) {
    const section = groupIds.has(one.id) ? componentGroups : components
    section.push(componentEntry(exporting, one, names))
    yield
  }
  const integrations = live.integrations.map((one) => integrationEntry(exporting, one))
  const spec = { componentGroups, integrations, components }
  const filled = Object.entries(spec).flatMap(([section, entries]) => {
    if (entries.length > 0) return [[section, entries]]
    // An empty section stays where it was written.
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
    warnings: exportWarnings(live, { repeated, shown }),
  }
}

/** A document that could not be applied again is none. */
const refuseTooMany = (what: string, count: number, limit: number): void => {
  if (count <= limit) return
  throw conflict('invalid_state', `There are ${count} ${what}; a document is limited to ${limit}`)
}

const sectionsOf = (last: LastDocument | null): Values => (last?.values.spec ?? {}) as Values

const byOrder = (left: LiveComponent, right: LiveComponent): number =>
  Number(left.fields.order) - Number(right.fields.order) || (left.name < right.name ? -1 : 1)

/** Groups are what others lie below, and what the last document calls so. */
const groupIdsOf = ({ live, last }: Exporting): Set<string> => {
  const parents = new Set(live.components.map(({ parentId }) => parentId))
  const written = new Map(last?.document.components.map((one) => [one.name, one.isGroup]))
  const isGroup = ({ id, name, type }: LiveComponent) =>
    type === 'SERVICE' && (written.get(name) ?? parents.has(id))
  return new Set(live.components.filter(isGroup).map(({ id }) => id))
}

interface Names {
  repeated: ReadonlySet<string>
  groupIds: ReadonlySet<string>
  components: ReadonlyMap<string, LiveComponent>
  integrations: ReadonlyMap<string, LiveIntegration>
  /** Of the last document, by name. */
  wanted: ReadonlyMap<string, WantedComponent>
}

const namesOf = ({ live, last }: Exporting, sets: Pick<Names, 'repeated' | 'groupIds'>): Names => ({
  ...sets,
  components: new Map(live.components.map((one) => [one.id, one])),
  integrations: new Map(live.integrations.map((one) => [one.id, one])),
  wanted: new Map(last?.document.components.map((one) => [one.name, one])),
})

const componentEntry = (exporting: Exporting, one: LiveComponent, names: Names): Values => {
  const { last } = exporting
  const isGroup = names.groupIds.has(one.id)
  const namesake = names.wanted.get(one.name)
  const wanted = namesake?.type === one.type ? namesake : undefined
  const written = wanted === undefined ? {} : valuesAt(last, wanted.place)
  const live: Values = {
    ...belongings(one, names),
    ...one.fields,
  }
  const entry: Values = { name: one.name, ...(isGroup ? {} : { type: one.type }) }
  // Its order first, then what it does not name.
  for (const field of [...Object.keys(written), ...Object.keys(live)]) {
    if (field in entry) continue
    const value = fieldValue(exporting, { field, written, wanted, live })
    if (value !== undefined) entry[field] = value
  }
  return entry
}

/** Names in the place of ids; a parent that a document cannot name is left out, which keeps it. */
const belongings = (
  { parentId, integrationId, type }: LiveComponent,
  { repeated, components, integrations }: Names,
): Values => {
  const parent = components.get(parentId ?? '')
  const integration = integrations.get(integrationId ?? '')
  const isNameable = parent?.type === 'SERVICE' && !repeated.has(parent.name)
  return {
    group: isNameable ? parent.name : null,
    ...(type === 'METRIC' ? { integration: integration?.name ?? null } : {}),
  }
}

interface Field {
  field: string
  written: Values
  wanted: WantedComponent | undefined
  live: Values
}

/** As it is written where that still holds, else as it is; undefined where nothing needs to be said. */
const fieldValue = (exporting: Exporting, { field, written, wanted, live }: Field): unknown => {
  const isWritten = Object.hasOwn(written, field)
  if (field === 'status') return isWritten ? written.status : undefined
  const value =
    field === 'headers'
      ? headersOf(exporting, live.headers as Record<string, string>, wanted)
      : live[field]
  const fallback = defaultsOfFields[field] ?? null
  const meant = meantBy(field, wanted) ?? fallback
  if (isWritten && isDeepStrictEqual(meant, value ?? null)) return written[field]
  return isDeepStrictEqual(value ?? null, fallback) ? undefined : value
}

const meantBy = (field: string, wanted: WantedComponent | undefined): unknown => {
  if (field === 'group') return wanted?.group
  return field === 'integration' ? wanted?.integration : wanted?.fields[field]
}

/** References where the last document has them and they hold the stored value, else the marker. */
const headersOf = (
  { variables }: Exporting,
  headers: Readonly<Record<string, string>>,
  wanted: WantedComponent | undefined,
): Record<string, string> => {
  const given = (wanted?.fields.headers ?? {}) as Record<string, string>
  return Object.fromEntries(
    Object.entries(headers).map(([name, value]) => {
      if (!isSecretHeader(name)) return [name, value]
      const variable = referenceIn(given[name])
      const isReference = variable !== null && variables.get(variable) === value
      return [name, isReference ? referenceTo(variable) : REDACTED]
    }),
  )
}

const integrationEntry = (exporting: Exporting, one: LiveIntegration): Values => {
  const { last } = exporting
  const wanted = last?.document.integrations.find(
    ({ name, type }) => name === one.name && type === one.type,
  )
  const written = wanted === undefined ? {} : valuesAt(last, wanted.place)
  const saysEnabled = Object.hasOwn(written, 'isEnabled') || !one.isEnabled
  const config = configOf(exporting, one, wanted, (written.config ?? {}) as Values)
  const saysConfig = Object.hasOwn(written, 'config') || Object.keys(config).length > 0
  return {
    name: one.name,
    type: one.type,
    ...(saysEnabled ? { isEnabled: one.isEnabled } : {}),
    ...(saysConfig ? { config } : {}),
  }
}

const configOf = (
  { variables }: Exporting,
  { type, config }: LiveIntegration,
  wanted: WantedIntegration | undefined,
  written: Values,
): Values => {
  const properties = integrationConfigs[type].properties as Record<string, { default?: unknown }>
  const entries = Object.entries(config).flatMap(([field, value]): [string, unknown][] => {
    const fallback = properties[field]?.default ?? null
    const isWritten = Object.hasOwn(written, field)
    const meant = wanted?.config[field] ?? null
    const variable = referenceIn(meant)
    const text = variable === null ? undefined : variables.get(variable)
    const stands = text === undefined ? null : readVariable(type, field, text)
    if (isWritten && stands !== null && stands === value) return [[field, written[field]]]
    const shown: ConfigValue =
      value !== null && integrationSecrets[type].includes(field) ? REDACTED : value
    if (isWritten && (meant ?? fallback) === (shown ?? fallback)) return [[field, written[field]]]
    // A text that only looks like a reference cannot be said; what is left out stays.
    const isSayable = shown !== fallback && referenceIn(shown) === null
    return shown !== null && isSayable ? [[field, shown]] : []
  })
  return Object.fromEntries(entries)
}

/** The entry of the last document, as it is written there. */
const valuesAt = (last: LastDocument | null, place: string): Values => {
  const [, section = '', index] = /^spec\.(\w+)\[(\d+)\]$/.exec(place) ?? []
  return (sectionsOf(last)[section] as Values[] | undefined)?.[Number(index)] ?? {}
}

/** Definitions as entries of a document whose apply changes nothing. Pure. */
import { isDeepStrictEqual } from 'node:util'
import { type Cooperative, conflict, REDACTED } from '@status-page/contracts'
import type { DesiredDefinition } from './definitions/desired.ts'
import type { LiveDefinition } from './definitions/live.ts'
import { findRepeatedNames } from './definitions/repeated-names.ts'
import {
  canonicalField,
  keyOf,
  type Section,
  type SectionSecret,
  shortValue,
} from './definitions/section.ts'
import { referencedVariable } from './references.ts'
import { type ConfigValues, exportConfig, isMap } from './typed-config.ts'

type Values = Record<string, unknown>

/** Entry of the last document: the values as written, and the fields that they describe. */
interface WrittenEntry {
  desired: DesiredDefinition
  values: Values
}

export interface DefinitionExportInput {
  definitions: readonly LiveDefinition[]
  /** Sections to export. */
  included: readonly Section[]
  desired: readonly DesiredDefinition[]
  /** Values of the last document at a path. */
  valuesAt(path: string): Values
  variables: ReadonlyMap<string, string>
}

export interface DefinitionExport {
  /** Entries by the key of their section. */
  sections: Record<string, Values[]>
  warnings: string[]
}

export function* exportDefinitions(input: DefinitionExportInput): Cooperative<DefinitionExport> {
  const written = new Map(input.desired.map((desired) => [keyOf(desired), desired]))
  const result: DefinitionExport = { sections: {}, warnings: [] }
  for (const section of input.included) {
    const live = input.definitions.filter((one) => one.section === section)
    const repeated = findRepeatedNames(live)
    const shown = live.filter(({ name }) => !repeated.has(name)).sort(byName)
    refuseTooMany(section, shown.length)
    result.warnings.push(...[...repeated].map((name) => repeatedWarning(section, name)))
    const entries: Values[] = []
    for (const one of shown) {
      const desired = written.get(keyOf(one))
      const values = desired === undefined ? {} : input.valuesAt(desired.path)
      const { variables } = input
      entries.push(entryOf(one, desired === undefined ? null : { desired, values }, variables))
      result.warnings.push(...inexpressibleWarnings(one))
      yield
    }
    result.sections[section.key] = entries
  }
  return result
}

const byName = (left: LiveDefinition, right: LiveDefinition): number =>
  left.name < right.name ? -1 : 1

/** Rejects an export that could not be applied again. */
const refuseTooMany = ({ plural, maximum }: Section, count: number): void => {
  if (count <= maximum) return
  throw conflict(
    'invalid_state',
    `There are ${count} ${plural}; a document is limited to ${maximum}`,
  )
}

const repeatedWarning = ({ plural }: Section, name: string): string =>
  `several ${plural} are named ${JSON.stringify(name)} and are left out`

const inexpressibleWarnings = ({ section, name, fields }: LiveDefinition): string[] =>
  [...section.fields.keys()]
    .filter((field) => !(field in fields))
    .map(
      (field) =>
        `${field} of ${section.resourceType} ${JSON.stringify(name)} is left out: it refers to ` +
        'resources that a document cannot name',
    )

/** Fields of the last document first, in its order, then the others. */
const entryOf = (
  live: LiveDefinition,
  written: WrittenEntry | null,
  variables: ReadonlyMap<string, string>,
): Values => {
  const { section, name } = live
  const entry: Values = { [section.identity]: name }
  for (const field of [...Object.keys(written?.values ?? {}), ...section.fields.keys()]) {
    if (field in entry) continue
    const value = exportedValue(live, field, { written, variables })
    if (value !== undefined) entry[field] = value
  }
  return entry
}

const exportedValue = (
  live: LiveDefinition,
  field: string,
  { written, variables }: { written: WrittenEntry | null; variables: ReadonlyMap<string, string> },
): unknown => {
  const { section } = live
  if (field === section.secret?.field) return secretValue(live, section.secret, written, variables)
  return field === 'config' && section.config !== undefined
    ? configValue(live, written, variables)
    : fieldValue(live, field, written)
}

/** Reference of the last document if its variable has the stored value, else the marker. */
const secretValue = (
  { id, fields }: LiveDefinition,
  { field, digestOf }: SectionSecret,
  written: WrittenEntry | null,
  variables: ReadonlyMap<string, string>,
): unknown => {
  const digest = fields[field] ?? null
  const given = written?.desired.fields[field]
  if (digest === null) return given === null ? null : undefined
  const text = variables.get(referencedVariable(given) ?? '')
  return text !== undefined && digestOf(id, text) === digest ? given : REDACTED
}

/** Config of a channel; undefined leaves it out. That of another type does not apply. */
const configValue = (
  { section, fields }: LiveDefinition,
  written: WrittenEntry | null,
  variables: ReadonlyMap<string, string>,
): unknown => {
  if (section.config === undefined) return undefined
  const isSameType = written?.desired.fields.type === fields.type
  const valuesOf = (config: unknown) => (isSameType && isMap(config) ? config : {})
  const config = exportConfig(section.config, {
    type: String(fields.type),
    live: fields.config as ConfigValues,
    desired: valuesOf(written?.desired.fields.config),
    written: valuesOf(written?.values.config),
    variables,
  })
  const isWritten = isSameType && Object.hasOwn(written?.values ?? {}, 'config')
  return isWritten || Object.keys(config).length > 0 ? config : undefined
}

/** Value as written if it still holds, else the live value; undefined leaves the field out. */
const fieldValue = (
  { section, fields, stored }: LiveDefinition,
  field: string,
  written: WrittenEntry | null,
): unknown => {
  const described = section.fields.get(field)
  const value = fields[field]
  if (described === undefined || value === undefined) return undefined
  if (written !== null && Object.hasOwn(written.values, field)) {
    const { fields: desired } = written.desired
    const completed = section.complete?.(desired, stored) ?? desired
    if (isDeepStrictEqual(canonicalField(section, completed, field), value)) {
      return written.values[field]
    }
  }
  if (isDeepStrictEqual(value, described.fallback)) return undefined
  return shortValue(described.schema, value)
}

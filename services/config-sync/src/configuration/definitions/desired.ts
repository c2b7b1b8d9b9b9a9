/** Entries of the sections of a document, after decoding and validation. Pure. */
import type { Issue } from '@status-page/contracts'
import { referencedVariable } from '../references.ts'
import { isLiteral, isMap, literalSecret, variablesIn } from '../typed-config.ts'
import { canonicalValue, type DocumentFields, type Section } from './section.ts'
import { sections } from './sections.ts'

export interface DesiredDefinition {
  /** Path of the entry, such as `spec.slas[3]`. */
  path: string
  section: Section
  name: string
  /** Fields of the entry in canonical form; null means the default. */
  fields: DocumentFields
}

type Entries = readonly Readonly<Record<string, unknown>>[] | null | undefined

/** Entries of all sections, in the order of the sections. */
export const desiredDefinitions = (spec: Readonly<Record<string, unknown>>): DesiredDefinition[] =>
  sections.flatMap((section) =>
    ((spec[section.key] as Entries) ?? []).map((entry, index) => ({
      path: `spec.${section.key}[${index}]`,
      section,
      name: String(entry[section.identity]),
      fields: withDecodedConfig(section, fieldsOf(section, entry)),
    })),
  )

const withDecodedConfig = ({ config: typed }: Section, fields: DocumentFields): DocumentFields => {
  const { type, config } = fields
  if (typed === undefined || !isMap(config)) return fields
  return { ...fields, config: typed.decode(String(type), config) }
}

/** Problems of the secret of an entry, and of a config that depends on the type of its entry. */
export const definitionConfigIssues = ({ path, section, fields }: DesiredDefinition): Issue[] => {
  const { secret } = section
  if (secret !== undefined && isLiteral(fields[secret.field])) {
    return [literalSecret(`${path}.${secret.field}`)]
  }
  const { type, config } = fields
  if (section.config === undefined || !isMap(config)) return []
  return section.config.issuesOf(String(type), config, `${path}.config`)
}

/** Names of the variables that entries refer to. */
export const variablesOfDefinitions = (definitions: readonly DesiredDefinition[]): string[] =>
  definitions.flatMap(({ section, fields }) => {
    const { config } = fields
    if (section.config !== undefined && isMap(config)) return variablesIn(config)
    return referencedVariable(fields[section.secret?.field ?? '']) ?? []
  })

const fieldsOf = (section: Section, entry: Readonly<Record<string, unknown>>): DocumentFields =>
  Object.fromEntries(
    [...section.fields].flatMap(([name, { schema }]) =>
      entry[name] === undefined ? [] : [[name, canonicalValue(schema, entry[name])]],
    ),
  )

/** A document's values as what is wanted, or every problem with its place. Pure: looks at nothing else. */
import { Type } from '@sinclair/typebox'
import {
  type ComponentType,
  type Cooperative,
  type IntegrationType,
  type Issue,
  integrationSecrets,
  REDACTED,
} from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import { compile, decoderOf, type Validator } from '@status-page/service'
import { referenceIn } from './references.ts'
import {
  configSchemas,
  DocumentSchema,
  type GivenComponent,
  type GivenDocument,
  sections,
} from './schema.ts'
import { textReferences } from './text-references.ts'
import { unknownFields } from './unknown-fields.ts'

/** A group, or a component: groups are components of type SERVICE. */
export interface WantedComponent {
  /** `spec.components[3]`. */
  place: string
  isGroup: boolean
  name: string
  type: ComponentType
  /** Undefined keeps the parent, null takes it away. */
  group: string | null | undefined
  integration: string | undefined
  /** As given, in canonical form; null is the default. */
  fields: Readonly<Record<string, unknown>>
}

export type ConfigValue = string | number | null

export interface WantedIntegration {
  place: string
  name: string
  type: IntegrationType
  isEnabled: boolean | undefined
  /** Secrets are references or the marker. */
  config: Readonly<Record<string, ConfigValue>>
}

export interface WantedDocument {
  name: string
  configVersion: string
  /** Groups first. */
  components: readonly WantedComponent[]
  integrations: readonly WantedIntegration[]
  /** Warnings of references inside longer values, by field. */
  textReferences: readonly Issue[]
}

export type DocumentValidation =
  | { ok: true; document: WantedDocument }
  | { ok: false; issues: [Issue, ...Issue[]] }

/** Far above what an entry may hold; below what its judge would take long for. */
const MAX_ENTRY_VALUES = 1_000

const decodeHead = decoderOf(DocumentSchema)
const validateHead = compile(DocumentSchema, 'document')

const entrySections = Object.entries(sections).map(([name, { entry, maximum }]) => ({
  name,
  entry,
  maximum,
  decode: decoderOf(entry),
  judge: compile(entry, ''),
}))

export function* checkDocument(value: unknown): Cooperative<DocumentValidation> {
  const { given, issues } = yield* validateShape(value)
  const [first, ...others] = issues
  if (first !== undefined) return { ok: false, issues: [first, ...others] }
  const document = wantedOf(given as GivenDocument)
  const [problem, ...problems] = yield* meaningIssues(document)
  if (problem !== undefined) return { ok: false, issues: [problem, ...problems] }
  const { spec } = value as { spec: Record<string, unknown> }
  return { ok: true, document: { ...document, textReferences: yield* textReferences(spec) } }
}

/** Fields that nobody knows come first: a typing error there often explains the rest. */
function* validateShape(value: unknown): Cooperative<{ given: unknown; issues: Issue[] }> {
  const unknown = unknownFields(DocumentSchema, value, '')
  const head = decodeHead(value)
  const issues = validateHead(head)
  if (!isRecord(head) || !isRecord(head.spec))
    return { given: head, issues: [...unknown, ...issues] }
  const spec: Record<string, unknown> = { ...head.spec }
  for (const section of entrySections) {
    const list = head.spec[section.name]
    if (!Array.isArray(list)) continue
    const entries: unknown[] = []
    for (const [index, entry] of list.slice(0, section.maximum).entries()) {
      const judged = validateEntry(section, entry, `spec.${section.name}[${index}]`)
      unknown.push(...judged.unknown)
      issues.push(...judged.issues)
      entries.push(judged.given)
      yield
    }
    spec[section.name] = entries
  }
  return { given: { ...head, spec }, issues: [...unknown, ...issues] }
}

const validateEntry = (
  { entry, decode, judge }: (typeof entrySections)[number],
  value: unknown,
  place: string,
): { given: unknown; unknown: Issue[]; issues: Issue[] } => {
  if (countValues(value, MAX_ENTRY_VALUES + 1) > MAX_ENTRY_VALUES) {
    const issue = { field: place, message: `${place} has more than ${MAX_ENTRY_VALUES} values` }
    return { given: null, unknown: [], issues: [issue] }
  }
  const given = decode(value)
  return { given, unknown: unknownFields(entry, value, place), issues: judge(given).map(at(place)) }
}

/** Counts no further than `limit`. */
const countValues = (value: unknown, limit: number): number => {
  let count = 1
  if (typeof value !== 'object' || value === null) return count
  for (const member of Object.values(value)) {
    if (count >= limit) break
    count += countValues(member, limit - count)
  }
  return count
}

/** A problem of an entry, by itself, as one of the document. */
const at =
  (place: string) =>
  (issue: Issue): Issue => {
    const joint = issue.field === '' ? '' : '.'
    const [field, message] = [place + joint + issue.field, place + joint + issue.message]
    return { ...issue, field, message }
  }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const wantedOf = ({ metadata, spec }: GivenDocument): Omit<WantedDocument, 'textReferences'> => ({
  name: metadata.name,
  configVersion: metadata.configVersion,
  components: [
    ...(spec.componentGroups ?? []).map(({ name, group, ...fields }, index) => ({
      place: `spec.componentGroups[${index}]`,
      isGroup: true,
      name,
      type: 'SERVICE' as const,
      group,
      integration: undefined,
      fields,
    })),
    ...(spec.components ?? []).map((given, index) => componentOf(given, index)),
  ],
  integrations: (spec.integrations ?? []).map((given, index) => ({
    place: `spec.integrations[${index}]`,
    name: given.name,
    type: given.type,
    isEnabled: given.isEnabled,
    config: decodeConfig(given.type, given.config ?? {}),
  })),
})

const componentOf = (given: GivenComponent, index: number): WantedComponent => {
  const { name, type, group, integration, ...fields } = given
  return {
    place: `spec.components[${index}]`,
    isGroup: false,
    name,
    type,
    group,
    integration,
    fields,
  }
}

function* meaningIssues(
  document: Pick<WantedDocument, 'components' | 'integrations'>,
): Cooperative<Issue[]> {
  const { components, integrations } = document
  const issues = [...repeatedNames(components), ...repeatedNames(integrations)]
  for (const one of components) {
    issues.push(...headerIssues(one))
    yield
  }
  for (const one of integrations) issues.push(...configIssues(one))
  return issues
}

const repeatedNames = (named: readonly { place: string; name: string }[]): Issue[] => {
  const seen = new Set<string>()
  return named.flatMap(({ place, name }): Issue[] => {
    const isRepeated = seen.has(name)
    seen.add(name)
    const field = `${place}.name`
    return isRepeated ? [{ field, message: `${field} is duplicated in the document` }] : []
  })
}

const headerIssues = ({ place, fields }: WantedComponent): Issue[] =>
  Object.entries((fields.headers ?? {}) as Record<string, string>)
    .filter(([name, value]) => isSecretHeader(name) && isLiteral(value))
    .map(([name]) => literalSecret(`${place}.headers.${name}`))

const isLiteral = (value: unknown): boolean =>
  typeof value === 'string' && value !== REDACTED && referenceIn(value) === null

const literalSecret = (field: string): Issue => ({
  field,
  message: `${field} is a secret: use a variable, such as \${NAME}`,
})

interface ConfigField {
  decode: (value: unknown) => unknown
  judge: Validator
}

const configFields = Object.fromEntries(
  Object.entries(configSchemas).map(([type, fields]) => [
    type,
    new Map(
      Object.entries(fields).map(([field, schema]): [string, ConfigField] => [
        field,
        {
          decode: decoderOf(schema),
          judge: compile(Type.Object({ [field]: schema }), 'config'),
        },
      ]),
    ),
  ]),
) as unknown as Record<IntegrationType, ReadonlyMap<string, ConfigField>>

/** References stay: what they stand for is judged when it is read. */
const decodeConfig = (type: IntegrationType, config: object): WantedIntegration['config'] =>
  Object.fromEntries(
    Object.entries(config).map(([name, value]) => [
      name,
      referenceIn(value) === null ? (configFields[type].get(name)?.decode(value) ?? value) : value,
    ]),
  )

const configIssues = ({ place, type, config }: WantedIntegration): Issue[] =>
  Object.entries(config).flatMap(([name, value]): Issue[] => {
    const field = `${place}.config.${name}`
    const known = configFields[type].get(name)
    if (known === undefined) return [{ field, message: `${field} is not a field of ${type}` }]
    if (referenceIn(value) !== null) return []
    const isSecret = integrationSecrets[type].includes(name)
    if (isSecret && (value === REDACTED || value === null)) return []
    if (isSecret) return [literalSecret(field)]
    return configValueIssues(type, name, value, `${place}.config`)
  })

/** What a value of a config is not, by the rules of its platform. */
export const configValueIssues = (
  type: IntegrationType,
  name: string,
  value: unknown,
  place: string,
): Issue[] =>
  (configFields[type].get(name)?.judge({ [name]: value }) ?? []).map((issue) => ({
    ...issue,
    field: `${place}.${issue.field}`,
    message: `${place}.${issue.message}`,
  }))

/** A variable is a text; where the platform wants a number it is read as one. */
export const readVariable = (type: IntegrationType, name: string, text: string): ConfigValue => {
  const wantsNumber = JSON.stringify(configSchemas[type][name] ?? {}).includes('"integer"')
  if (wantsNumber) return /^\d{1,15}$/.test(text) ? Number(text) : text
  return (configFields[type].get(name)?.decode(text) ?? text) as string
}

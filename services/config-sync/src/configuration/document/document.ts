/**
 * Validates the values of a document and returns its desired state or every problem with its path.
 * Pure.
 */
import {
  type ComponentType,
  type Cooperative,
  type IntegrationType,
  type Issue,
  toUpstreamSettings,
  type UpstreamInput,
} from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import { compileDecoder, compileValidator } from '@status-page/service'
import {
  type DesiredDefinition,
  definitionConfigIssues,
  desiredDefinitions,
} from '../definitions/desired.ts'
import { type ConfigValues, integrationConfig, isLiteral, literalSecret } from '../typed-config.ts'
import {
  type DecodedComponent,
  type DecodedDocument,
  DocumentSchema,
  documentSections,
} from './schema.ts'
import { textReferenceWarnings } from './text-references.ts'
import { unknownFields } from './unknown-fields.ts'

/** Component or group; a group is a component of type SERVICE. */
export interface DesiredComponent {
  /** Path of the entry, such as `spec.components[3]`. */
  path: string
  isGroup: boolean
  name: string
  type: ComponentType
  /** Name of the parent; undefined leaves the parent unchanged, null removes it. */
  group: string | null | undefined
  /** Names of components; undefined leaves the dependencies unchanged, null removes them. */
  dependsOn: readonly string[] | null | undefined
  integration: string | undefined
  /** Fields of the entry in canonical form; null means the default. */
  fields: Readonly<Record<string, unknown>>
}

export interface DesiredIntegration {
  path: string
  name: string
  type: IntegrationType
  isEnabled: boolean | undefined
  /** Fields by name; secrets are references or the redaction marker. */
  config: ConfigValues
}

export interface DesiredDocument {
  name: string
  configVersion: string
  /** Groups come first. */
  components: readonly DesiredComponent[]
  integrations: readonly DesiredIntegration[]
  definitions: readonly DesiredDefinition[]
  /** Keys of the sections of definitions that the document has, even when they are empty. */
  sectionKeys: ReadonlySet<string>
  /** Warnings about references that are plain text. */
  textReferences: readonly Issue[]
}

export type DocumentValidation =
  | { ok: true; document: DesiredDocument }
  | { ok: false; issues: [Issue, ...Issue[]]; textReferences: readonly Issue[] }

/**
 * Maximum number of values in an entry: far above any valid entry, low enough to validate quickly.
 */
const MAX_ENTRY_VALUES = 1_000

const decodeHead = compileDecoder(DocumentSchema)
const validateHead = compileValidator(DocumentSchema, 'document')

const entrySections = Object.entries(documentSections).map(([name, { entry, maximum }]) => ({
  name,
  entry,
  maximum,
  decode: compileDecoder(entry),
  validate: compileValidator(entry, ''),
}))

export function* checkDocument(value: unknown): Cooperative<DocumentValidation> {
  const { decoded, issues } = yield* validateShape(value)
  const textReferences = yield* textReferenceWarnings(value)
  const [first, ...others] = issues
  if (first !== undefined) return { ok: false, issues: [first, ...others], textReferences }
  const document = toDesiredDocument(decoded as DecodedDocument)
  const [problem, ...problems] = yield* semanticIssues(document)
  if (problem !== undefined) return { ok: false, issues: [problem, ...problems], textReferences }
  return { ok: true, document: { ...document, textReferences } }
}

/** Unknown fields come first: a misspelled name often explains the other issues. */
function* validateShape(value: unknown): Cooperative<{ decoded: unknown; issues: Issue[] }> {
  const unknown = unknownFields(DocumentSchema, value, '')
  const head = decodeHead(value)
  const issues = validateHead(head)
  if (!isRecord(head) || !isRecord(head.spec))
    return { decoded: head, issues: [...unknown, ...issues] }
  const spec: Record<string, unknown> = { ...head.spec }
  for (const section of entrySections) {
    const list = head.spec[section.name]
    if (!Array.isArray(list)) continue
    const entries: unknown[] = []
    for (const [index, entry] of list.slice(0, section.maximum).entries()) {
      const result = validateEntry(section, entry, `spec.${section.name}[${index}]`)
      unknown.push(...result.unknown)
      issues.push(...result.issues)
      entries.push(result.decoded)
      yield
    }
    spec[section.name] = entries
  }
  return { decoded: { ...head, spec }, issues: [...unknown, ...issues] }
}

const validateEntry = (
  { entry, decode, validate }: (typeof entrySections)[number],
  value: unknown,
  path: string,
): { decoded: unknown; unknown: Issue[]; issues: Issue[] } => {
  if (countValues(value, MAX_ENTRY_VALUES + 1) > MAX_ENTRY_VALUES) {
    const issue = { field: path, message: `${path} has more than ${MAX_ENTRY_VALUES} values` }
    return { decoded: null, unknown: [], issues: [issue] }
  }
  const decoded = decode(value)
  return {
    decoded,
    unknown: unknownFields(entry, value, path),
    issues: validate(decoded).map(atPath(path)),
  }
}

/** Counts values up to `limit`. */
const countValues = (value: unknown, limit: number): number => {
  let count = 1
  if (typeof value !== 'object' || value === null) return count
  for (const member of Object.values(value)) {
    if (count >= limit) break
    count += countValues(member, limit - count)
  }
  return count
}

/** Prefixes the field and message of an issue with the path of its entry. */
const atPath =
  (path: string) =>
  (issue: Issue): Issue => {
    const joint = issue.field === '' ? '' : '.'
    const [field, message] = [path + joint + issue.field, path + joint + issue.message]
    return { ...issue, field, message }
  }

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const toDesiredDocument = ({
  metadata,
  spec,
}: DecodedDocument): Omit<DesiredDocument, 'textReferences'> => ({
  name: metadata.name,
  configVersion: metadata.configVersion,
  components: [
    ...(spec.componentGroups ?? []).map(({ name, group, dependsOn, ...fields }, index) => ({
      path: `spec.componentGroups[${index}]`,
      isGroup: true,
      name,
      type: 'SERVICE' as const,
      group,
      dependsOn,
      integration: undefined,
      fields: canonicalFields(fields),
    })),
    ...(spec.components ?? []).map((decoded, index) => componentOf(decoded, index)),
  ],
  integrations: (spec.integrations ?? []).map((decoded, index) => ({
    path: `spec.integrations[${index}]`,
    name: decoded.name,
    type: decoded.type,
    isEnabled: decoded.isEnabled,
    config: integrationConfig.decode(decoded.type, decoded.config ?? {}),
  })),
  definitions: desiredDefinitions(spec),
  sectionKeys: new Set(Object.keys(spec)),
})

const componentOf = (decoded: DecodedComponent, index: number): DesiredComponent => {
  const { name, type, group, dependsOn, integration, ...fields } = decoded
  return {
    path: `spec.components[${index}]`,
    isGroup: false,
    name,
    type,
    group,
    dependsOn,
    integration,
    fields: canonicalFields(fields),
  }
}

/** Adds the defaults within an upstream, so that it compares as equal to the stored one. */
const canonicalFields = (fields: DesiredComponent['fields']): DesiredComponent['fields'] =>
  fields.upstream == null
    ? fields
    : { ...fields, upstream: toUpstreamSettings(fields.upstream as UpstreamInput) }

function* semanticIssues(
  document: Pick<DesiredDocument, 'components' | 'integrations' | 'definitions'>,
): Cooperative<Issue[]> {
  const { components, integrations, definitions } = document
  const bySection = Map.groupBy(definitions, ({ section }) => section)
  const issues = [
    ...repeatedNameIssues(components),
    ...repeatedNameIssues(integrations),
    ...[...bySection].flatMap(([{ identity }, entries]) => repeatedNameIssues(entries, identity)),
  ]
  for (const one of components) {
    issues.push(...headerIssues(one))
    yield
  }
  for (const { path, type, config } of integrations) {
    issues.push(...integrationConfig.issuesOf(type, config, `${path}.config`))
  }
  for (const one of definitions) {
    issues.push(...definitionConfigIssues(one))
    yield
  }
  return issues
}

const repeatedNameIssues = (
  named: readonly { path: string; name: string }[],
  identity = 'name',
): Issue[] => {
  const seen = new Set<string>()
  return named.flatMap(({ path, name }): Issue[] => {
    const isRepeated = seen.has(name)
    seen.add(name)
    const field = `${path}.${identity}`
    return isRepeated ? [{ field, message: `${field} is duplicated in the document` }] : []
  })
}

const headerIssues = ({ path, fields }: DesiredComponent): Issue[] =>
  Object.entries((fields.headers ?? {}) as Record<string, string>)
    .filter(([name, value]) => isSecretHeader(name) && isLiteral(value))
    .map(([name]) => literalSecret(`${path}.headers.${name}`))

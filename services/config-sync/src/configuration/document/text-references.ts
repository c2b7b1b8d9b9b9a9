/** References in a document that stay plain text, which is seldom intended. */
import { type Cooperative, type Issue, MAX_ISSUES } from '@status-page/contracts'
import { isSecretHeader } from '@status-page/secrets'
import { sections } from '../definitions/sections.ts'
import { referencedVariable, referenceWithin, variableReference } from '../references.ts'

/**
 * Returns warnings by field, at most as many as a reply lists. `value` is the document as written,
 * valid or not: the canonical form of a URL escapes the braces.
 */
export function* textReferenceWarnings(value: unknown): Cooperative<Issue[]> {
  if (!isRecord(value)) return []
  const { metadata, spec } = value
  const warnings = referencesWithin(metadata, 'metadata')
  for (const [section, entries] of Object.entries(isRecord(spec) ? spec : {})) {
    if (!Array.isArray(entries)) continue
    for (const [index, entry] of entries.entries()) {
      if (warnings.length >= MAX_ISSUES) return warnings.slice(0, MAX_ISSUES)
      warnings.push(...referencesWithin(entry, `spec.${section}[${index}]`))
      yield
    }
  }
  return warnings.slice(0, MAX_ISSUES)
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null

const referencesWithin = (value: unknown, field: string): Issue[] => {
  if (typeof value === 'string') {
    const name = referenceWithin(value)
    const isResolved = isResolvable(field) && referencedVariable(value) !== null
    return name === null || isResolved ? [] : [warningOf(field, name)]
  }
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => referencesWithin(entry, `${field}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    referencesWithin(member, `${field}.${name}`),
  )
}

/** Lists whose entries have a config with references. */
const configured = [
  'integrations',
  ...sections.filter(({ config }) => config !== undefined).map(({ key }) => key),
]

const CONFIG_FIELD = new RegExp(
  `^spec\\.(?:${configured.join('|')})\\[\\d+\\]\\.config\\.(?:\\w+|headers\\.[^.]+)$`,
)

const secretFields = sections.flatMap(({ key, secret }) =>
  secret === undefined ? [] : [new RegExp(`^spec\\.${key}\\[\\d+\\]\\.${secret.field}$`)],
)

/** True for fields whose references are resolved: configs, secrets and headers of components. */
const isResolvable = (field: string): boolean => {
  const header = /^spec\.components\[\d+\]\.headers\.(.+)$/.exec(field)?.[1]
  if (header !== undefined) return isSecretHeader(header)
  return CONFIG_FIELD.test(field) || secretFields.some((pattern) => pattern.test(field))
}

const warningOf = (field: string, name: string): Issue => ({
  field,
  message: isResolvable(field)
    ? `${field} holds ${variableReference(name)} inside a longer value, where it is plain text: ` +
      'a reference must be the whole value'
    : `${field} holds ${variableReference(name)}, which is plain text here: only the config of ` +
      'integrations and channels, secret headers of components and passwords of status pages can ' +
      'refer to variables',
})

/** References inside longer values of a document: they are plain text, which is seldom intended. */
import { type Cooperative, type Issue, MAX_ISSUES } from '@status-page/contracts'
import { embeddedReference, variableReference } from './references.ts'

/**
 * Returns warnings by field, at most as many as a reply lists. `spec` is the document as written:
 * the canonical form of a URL escapes the braces.
 */
export function* textReferenceWarnings(
  spec: Readonly<Record<string, unknown>>,
): Cooperative<Issue[]> {
  const warnings: Issue[] = []
  for (const [section, entries] of Object.entries(spec)) {
    if (!Array.isArray(entries)) continue
    for (const [index, entry] of entries.entries()) {
      if (warnings.length >= MAX_ISSUES) return warnings.slice(0, MAX_ISSUES)
      warnings.push(...referencesWithin(entry, `spec.${section}[${index}]`))
      yield
    }
  }
  return warnings.slice(0, MAX_ISSUES)
}

const referencesWithin = (value: unknown, field: string): Issue[] => {
  if (typeof value === 'string') {
    const name = embeddedReference(value)
    return name === null ? [] : [warningOf(field, name)]
  }
  if (Array.isArray(value)) {
    return value.flatMap((entry, index) => referencesWithin(entry, `${field}[${index}]`))
  }
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([name, member]) =>
    referencesWithin(member, `${field}.${name}`),
  )
}

const warningOf = (field: string, name: string): Issue => ({
  field,
  message:
    `${field} holds ${variableReference(name)} inside a longer value, where it is plain text: ` +
    'a reference must be the whole value',
})

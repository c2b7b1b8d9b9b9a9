/**
 * References `${NAME}` in a document: only a whole value is a reference, and only in a secret
 * field.
 */
import type { Issue } from '@status-page/contracts'

const REFERENCE = /^\$\{([A-Z][A-Z0-9_]{0,63})\}$/

/** Name of the variable that the value refers to, or null. */
export const referencedVariable = (value: unknown): string | null =>
  typeof value === 'string' ? (REFERENCE.exec(value)?.[1] ?? null) : null

const REFERENCE_WITHIN = /\$\{([A-Z][A-Z0-9_]{0,63})\}/

/** Name of the first reference anywhere in the value, or null. */
export const referenceWithin = (value: string): string | null =>
  REFERENCE_WITHIN.exec(value)?.[1] ?? null

export const variableReference = (name: string): string => `\${${name}}`

/** The message is the same for variables of other organizations. */
export const unknownVariable = (field: string, name: string): Issue => ({
  field,
  message: `${variableReference(name)} is not set`,
})

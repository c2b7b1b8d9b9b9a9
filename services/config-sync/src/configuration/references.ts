/** `${NAME}` in a document: only a whole value refers to a variable, and only where secrets may stand. */
import type { Issue } from '@status-page/contracts'

const REFERENCE = /^\$\{([A-Z][A-Z0-9_]{0,63})\}$/

/** The name that a value refers to, or null. */
export const referenceIn = (value: unknown): string | null =>
  typeof value === 'string' ? (REFERENCE.exec(value)?.[1] ?? null) : null

const REFERENCE_WITHIN = /\$\{([A-Z][A-Z0-9_]{0,63})\}/

/** The name that stands inside a longer value, where it is text; null where there is none. */
export const referenceWithin = (value: string): string | null =>
  REFERENCE.test(value) ? null : (REFERENCE_WITHIN.exec(value)?.[1] ?? null)

export const referenceTo = (name: string): string => `\${${name}}`

/** In the same words whatever else exists. */
export const unknownVariable = (field: string, name: string): Issue => ({
  field,
  message: `${referenceTo(name)} is not set`,
})

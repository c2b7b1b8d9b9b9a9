/** Readers of parsed JSON of untrusted hosts: a value of another type counts as absent. */

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

export const objectsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(asObject) : []

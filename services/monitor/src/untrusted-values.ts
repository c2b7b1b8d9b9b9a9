/** Readers of parsed JSON of untrusted hosts: a value of another type counts as absent. */

export const asObject = (value: unknown): Record<string, unknown> =>
  typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {}

export const objectsIn = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.map(asObject) : []

/** Time in ISO 8601; null for another value, and for a year that Postgres cannot store. */
export const timeOf = (value: unknown): string | null => {
  const time = typeof value === 'string' ? Date.parse(value) : Number.NaN
  const text = Number.isNaN(time) ? '' : new Date(time).toISOString()
  return /^(?!0000)\d{4}-/.test(text) ? text : null
}

/** Resolves the fields of a resource: the given value, else the stored one, else the default. */
import type { TProperties } from '@sinclair/typebox'

type Values = Readonly<Record<string, unknown>>

/** Defaults as the contract states them; a field without one is null. */
export const fieldDefaults = (properties: TProperties): Values =>
  Object.fromEntries(
    Object.entries(properties).map(([name, field]) => [name, field.default ?? null]),
  )

/** Absent fields keep the stored value; null restores the default. */
export const fillFields = <Fields extends object>(
  names: readonly (keyof Fields & string)[],
  { given, stored, defaults }: { given: object; stored: object; defaults: Values },
): Fields => {
  const values = given as Values
  const present: Values = { ...defaults, ...stored }
  const entries = names.map((name) => {
    const value = values[name] === undefined ? present[name] : values[name]
    return [name, value ?? defaults[name]]
  })
  return Object.fromEntries(entries)
}

export const haveEqualFields = <Row extends object>(
  names: readonly (keyof Row)[],
  before: Row,
  after: Row,
): boolean => names.every((name) => JSON.stringify(before[name]) === JSON.stringify(after[name]))

export const pickFields = <Row extends object, Name extends keyof Row>(
  names: readonly Name[],
  row: Row,
): Pick<Row, Name> => Object.fromEntries(names.map((name) => [name, row[name]])) as Pick<Row, Name>

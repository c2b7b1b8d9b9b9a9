/**
 * Three-way merge of a form: the values at the start of the edit, the present ones of the service,
 * and those of the user. A field that only one side has changed is no conflict.
 */

export interface Merge<Values> {
  /** Values of the user where they were changed, else the present ones. */
  values: Values
  /** Fields that both sides have changed to different values. */
  conflicts: (keyof Values)[]
}

export const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

const fieldsOf = <Values extends object>(values: Values): (keyof Values)[] =>
  Object.keys(values) as (keyof Values)[]

export const merge = <Values extends object>(
  base: Values,
  current: Values,
  mine: Values,
): Merge<Values> => {
  const values = { ...current }
  const conflicts: (keyof Values)[] = []
  for (const field of fieldsOf(current)) {
    if (isSame(mine[field], base[field])) continue
    values[field] = mine[field]
    const isChanged = !isSame(current[field], base[field])
    if (isChanged && !isSame(current[field], mine[field])) conflicts.push(field)
  }
  return { values, conflicts }
}

/** Fields whose values differ from the present ones. */
export const changesOf = <Values extends object>(
  current: Values,
  values: Values,
): Partial<Values> => {
  const changes: Partial<Values> = {}
  for (const field of fieldsOf(current)) {
    if (!isSame(current[field], values[field])) changes[field] = values[field]
  }
  return changes
}

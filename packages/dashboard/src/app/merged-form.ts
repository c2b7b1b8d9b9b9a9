/** Form over a resource that others may change: unsent values are stored and merged. */
import { changesOf, isSame, type Merge, merge } from './merge.ts'
import { useUnsent } from './unsent.ts'

export interface FieldConflict<Values> {
  field: keyof Values
  theirs: Values[keyof Values]
  mine: Values[keyof Values]
}

export interface MergedForm<Values> {
  values: Values
  set(patch: Partial<Values>): void
  /** Fields that another user has changed as well; they must be resolved before a write. */
  conflicts: FieldConflict<Values>[]
  resolve(field: keyof Values, side: 'mine' | 'theirs'): void
  /** Values that differ from the present ones. */
  changes: Partial<Values>
  isDirty: boolean
  discard(): void
  /** Discards the written values; those that were entered during the write remain. */
  saved(written: Values): void
  /** Merge with values that were read later, and the changes that remain. */
  against(present: Values): Merge<Values> & { changes: Partial<Values> }
}

export interface StoredEdit<Values> {
  base: Values
  mine: Values
}

/** `name` identifies the stored values; `current` are the present values of the resource. */
export const useMergedForm = <Values extends object>(
  name: string,
  current: Values,
): MergedForm<Values> => {
  const [stored, store] = useUnsent<StoredEdit<Values>>(name)
  // Fields that a newer version of the dashboard has added are absent in stored values.
  const base = { ...current, ...stored?.base }
  const mine = { ...current, ...stored?.mine }
  const { values, conflicts } = merge(base, current, mine)
  const save = (edit: StoredEdit<Values>) => store(isSame(edit.base, edit.mine) ? null : edit)
  /** Present values where there is no conflict, so that a later change of others is one. */
  const nextBase = { ...current }
  for (const field of conflicts) nextBase[field] = base[field]
  return {
    values,
    set: (patch) => save({ base: nextBase, mine: { ...values, ...patch } }),
    conflicts: conflicts.map((field) => ({
      field,
      theirs: current[field],
      mine: values[field],
    })),
    resolve(field, side) {
      const chosen = side === 'mine' ? values : { ...values, [field]: current[field] }
      save({ base: { ...nextBase, [field]: current[field] }, mine: chosen })
    },
    changes: changesOf(current, values),
    isDirty: stored !== null,
    discard: () => store(null),
    saved: (written) =>
      save({ base: written, mine: { ...written, ...changesOf(current, values) } }),
    against(present) {
      const merged = merge(base, present, mine)
      return { ...merged, changes: changesOf(present, merged.values) }
    },
  }
}

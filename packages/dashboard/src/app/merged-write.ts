/**
 * Write of a merged form: repeated with the present version unless a field is in conflict. The form
 * then shows both of its values.
 */
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { ifMatch, isVersionMismatch } from '../api/versions.ts'
import type { MergedForm } from './merged-form.ts'

/** Headers of a write that refers to a version. */
type VersionHeaders = { 'If-Match': string }

export interface MergedWrite<Resource extends { version: number }, Values, Input, Reply> {
  current: Resource
  /** Reads the resource again. */
  readPresent(): Promise<Resource>
  form: MergedForm<Values>
  /** Present values in a resource; null if what the form edits was deleted. */
  valuesOf(resource: Resource): Values | null
  write(
    content: { values: Values; changes: Partial<Values>; headers: VersionHeaders },
    input: Input,
  ): Promise<Reply>
  onSaved(reply: Reply): Promise<unknown> | undefined
}

/** The result is null for a conflict. */
export const useMergedWrite = <
  Resource extends { version: number },
  Values extends object,
  Input = void,
  Reply = unknown,
>(
  options: MergedWrite<Resource, Values, Input, Reply>,
): UseMutationResult<Reply | null, Error, Input> => {
  const { current, readPresent, form, valuesOf, write, onSaved } = options
  return useMutation({
    mutationFn: async (input: Input) => {
      const headers = { 'If-Match': ifMatch(current.version) }
      try {
        return await write({ values: form.values, changes: form.changes, headers }, input)
      } catch (error) {
        if (!isVersionMismatch(error)) throw error
        const present = await readPresent()
        const values = valuesOf(present)
        // The service refuses the write of what was deleted.
        const merged = values === null ? form : form.against(values)
        if (merged.conflicts.length > 0) return null
        return await write({ ...merged, headers: { 'If-Match': ifMatch(present.version) } }, input)
      }
    },
    onMutate: () => form.values,
    onSuccess: (reply, _input, written) => {
      if (reply === null) return
      form.saved(written)
      return onSaved(reply)
    },
  })
}

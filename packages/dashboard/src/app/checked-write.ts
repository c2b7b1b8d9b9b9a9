/**
 * Write of a merged form over a resource without a version: reads the present values first, and
 * writes nothing while a field is in conflict. The form then shows both of its values.
 */
import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import type { MergedForm } from './merged-form.ts'

interface CheckedWrite<Values> {
  form: MergedForm<Values>
  /** Reads the resource, also into the cache from which the form has its present values. */
  read(): Promise<Values>
  write(changes: Partial<Values>): Promise<unknown>
  onSaved(): void | Promise<void>
}

/** The result is false for a conflict. */
export const useCheckedWrite = <Values extends object>(
  options: CheckedWrite<Values>,
): UseMutationResult<boolean, Error, void> => {
  const { form, read, write, onSaved } = options
  return useMutation({
    mutationFn: async () => {
      const { changes, conflicts } = form.against(await read())
      if (conflicts.length > 0) return false
      await write(changes)
      return true
    },
    onMutate: () => form.values,
    onSuccess: (isSaved, _input, written) => {
      if (!isSaved) return
      form.saved(written)
      return onSaved()
    },
  })
}

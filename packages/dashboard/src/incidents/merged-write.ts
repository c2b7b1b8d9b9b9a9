/** Write of a merged form: repeated with the present version unless a field is in conflict. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import type { MergedForm } from '../app/merged-form.ts'
import { type IncidentDetail, incidentQuery } from './queries.ts'
import { ifMatch, isVersionMismatch } from './send.ts'

/** Headers of a write that refers to a version. */
export type VersionHeaders = { 'If-Match': string }

interface MergedWrite<Values, Input> {
  incident: IncidentDetail
  form: MergedForm<Values>
  /** Present values in an incident; null if the resource was deleted. */
  valuesOf(incident: IncidentDetail): Values | null
  write(
    content: { values: Values; changes: Partial<Values>; headers: VersionHeaders },
    input: Input,
  ): Promise<unknown>
  onSaved(): void
}

export const useMergedWrite = <Values extends object, Input = void>({
  incident,
  form,
  valuesOf,
  write,
  onSaved,
}: MergedWrite<Values, Input>): UseMutationResult<unknown, Error, Input> => {
  const queryClient = useQueryClient()
  const query = incidentQuery(incident.id)
  return useMutation({
    mutationFn: async (input: Input) => {
      const headers = { 'If-Match': ifMatch(incident.version) }
      try {
        await write({ values: form.values, changes: form.changes, headers }, input)
      } catch (error) {
        if (!isVersionMismatch(error)) throw error
        const present = await queryClient.fetchQuery({ ...query, staleTime: 0 })
        const values = valuesOf(present)
        const merged = values && form.against(values)
        // The form shows both values of each field.
        if (merged === null || merged.conflicts.length > 0) throw error
        await write({ ...merged, headers: { 'If-Match': ifMatch(present.version) } }, input)
      }
    },
    onSuccess: () => {
      form.discard()
      void queryClient.invalidateQueries({ queryKey: ['incidents', 'list'] })
      onSaved()
      return queryClient.invalidateQueries(query)
    },
  })
}

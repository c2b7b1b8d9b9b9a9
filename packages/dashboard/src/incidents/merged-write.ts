/** Write of a merged form of an incident. */
import { type UseMutationResult, useQueryClient } from '@tanstack/react-query'
import { type MergedWrite, useMergedWrite } from '../app/merged-write.ts'
import { type IncidentDetail, incidentQuery } from './queries.ts'

type IncidentWrite<Values, Input> = Omit<
  MergedWrite<IncidentDetail, Values, Input, unknown>,
  'current' | 'readPresent' | 'onSaved'
> & {
  incident: IncidentDetail
  onSaved(): void
}

export const useIncidentWrite = <Values extends object, Input = void>({
  incident,
  onSaved,
  ...options
}: IncidentWrite<Values, Input>): UseMutationResult<unknown, Error, Input> => {
  const queryClient = useQueryClient()
  const query = incidentQuery(incident.id)
  return useMergedWrite({
    ...options,
    current: incident,
    readPresent: () => queryClient.fetchQuery({ ...query, staleTime: 0 }),
    onSaved: () => {
      void queryClient.invalidateQueries({ queryKey: ['incidents', 'list'] })
      onSaved()
      return queryClient.invalidateQueries(query)
    },
  })
}

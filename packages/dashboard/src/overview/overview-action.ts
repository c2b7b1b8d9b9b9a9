/** Action on an entry of the overview, which ends that it waits for a person. */
import { type UseMutationResult, useMutation, useQueryClient } from '@tanstack/react-query'
import { overviewQuery } from '../api/queries.ts'
import { type ActionPart, withoutEntry } from './without-entry.ts'

/** Mutation that removes the entry from the overview once the action has succeeded. */
export const useOverviewAction = <Input extends { id: string }>(
  part: ActionPart,
  action: (input: Input) => Promise<unknown>,
): UseMutationResult<unknown, Error, Input> => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: action,
    onSuccess: (_reply, { id }) => {
      queryClient.setQueryData(
        overviewQuery.queryKey,
        (overview) => overview && withoutEntry(overview, part, id),
      )
    },
    onSettled: () => queryClient.invalidateQueries(overviewQuery),
  })
}

/** Moves components: shown at once, and undone when the service refuses it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { allComponentsQuery } from './queries.ts'
import { type Placement, placed } from './tree.ts'

export const useMoveComponents = () => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: (body: Placement) => api.POST('/api/v1/components/positions', { body }),
    onMutate: async (placement) => {
      await queryClient.cancelQueries(allComponentsQuery)
      const before = queryClient.getQueryData(allComponentsQuery.queryKey)
      if (before !== undefined) {
        queryClient.setQueryData(allComponentsQuery.queryKey, placed(before, placement))
      }
      return { before }
    },
    onError: (_error, _placement, context) =>
      queryClient.setQueryData(allComponentsQuery.queryKey, context?.before),
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['components'] }),
  })
}

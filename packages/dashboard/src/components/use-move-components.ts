/** Moves components: shown at once, and undone when the service refuses it. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useCallback, useState } from 'react'
import { api } from '../api/client.ts'
import { allComponentsQuery } from './queries.ts'
import { type Placement, placed } from './tree.ts'

const MUTATION_KEY = ['components', 'positions']

export interface MoveFailure {
  /** Error of the request; null for a target that does not exist any more. */
  error: unknown
}

interface ComponentMoves {
  /** A place of null is reported as a failure. */
  move(placement: Placement | null): void
  /** Failure since the latest move began. */
  failure: MoveFailure | null
}

/** Requests are sent one after the other, in the order of the moves. */
export const useMoveComponents = (): ComponentMoves => {
  const queryClient = useQueryClient()
  // The mutation itself has the result of its latest call alone.
  const [failure, setFailure] = useState<MoveFailure | null>(null)
  const { mutate } = useMutation({
    mutationKey: MUTATION_KEY,
    scope: { id: MUTATION_KEY.join('.') },
    mutationFn: (body: Placement) => api.POST('/api/v1/components/positions', { body }),
    onMutate: async (placement) => {
      setFailure(null)
      await queryClient.cancelQueries(allComponentsQuery)
      const before = queryClient.getQueryData(allComponentsQuery.queryKey)
      if (before !== undefined) {
        queryClient.setQueryData(allComponentsQuery.queryKey, placed(before, placement))
      }
      return { before }
    },
    onError: (error, _placement, context) => {
      setFailure({ error })
      queryClient.setQueryData(allComponentsQuery.queryKey, context?.before)
    },
    // The list of the service lacks the moves that wait.
    onSettled: () =>
      queryClient.isMutating({ mutationKey: MUTATION_KEY }) > 1
        ? undefined
        : queryClient.invalidateQueries({ queryKey: ['components'] }),
  })
  const move = useCallback(
    (placement: Placement | null) =>
      placement === null ? setFailure({ error: null }) : mutate(placement),
    [mutate],
  )
  return { move, failure }
}

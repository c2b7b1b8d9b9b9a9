/** Replays of deliveries: of single ones, and of all failed ones. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { DeliveryLogFilters } from './filters.ts'

const invalidated = { queryKey: ['deliveries'] }

/** Sends deliveries again, one request after the other; ends at the first that is refused. */
export const useReplay = () => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (ids: readonly string[]) => {
      for (const id of ids)
        await api.POST('/api/v1/notifications/{id}/replay', { params: { path: { id } } })
      return ids.length
    },
    onSettled: () => queryClient.invalidateQueries(invalidated),
  })
}

export interface FailedReplay extends Pick<DeliveryLogFilters, 'channel' | 'subscriber'> {
  since: string
}

/** The result is the number of deliveries that are queued again. */
export const useReplayFailed = () => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async ({ since, channel, subscriber }: FailedReplay) => {
      const body = {
        since,
        ...(channel !== undefined && { channelId: channel }),
        ...(subscriber !== undefined && { subscriberId: subscriber }),
      }
      return (await api.POST('/api/v1/notifications/replay', { body })).data.replayed
    },
    onSettled: () => queryClient.invalidateQueries(invalidated),
  })
}

/** Creation of a new ping URL of a heartbeat, which replaces the previous one. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const rotatePingUrl = async (id: string): Promise<string> => {
  const params = { path: { id } }
  const { data } = await api.POST('/api/v1/components/{id}/heartbeat/rotate-token', { params })
  return data.pingUrl
}

export const useRotatePingUrl = (id: string) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: () => rotatePingUrl(id),
    onSuccess: () => queryClient.invalidateQueries({ queryKey: ['components', id, 'heartbeat'] }),
    // The URL does not remain in memory once its dialog is closed.
    gcTime: 0,
  })
}

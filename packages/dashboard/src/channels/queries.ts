/**
 * Reads of notification channels, and previews of their messages. Deliveries change the status of a
 * channel without an event, so that channels are read again in an interval.
 */

import type { SelectableChannelEvent } from '@status-page/contracts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import type { ChannelTypeName } from './draft.ts'

const MAX_CHANNELS = 100
const INTERVAL_MS = 10_000

export const channelsQuery = queryOptions({
  queryKey: ['notification-channels', 'list'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: MAX_CHANNELS, sortBy: 'name', sortOrder: 'asc' } as const
    return (await api.GET('/api/v1/notification-channels', { params: { query }, signal })).data
  },
  refetchInterval: INTERVAL_MS,
})

export const channelQuery = (id: string) =>
  queryOptions({
    queryKey: ['notification-channels', 'detail', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } }
      return (await api.GET('/api/v1/notification-channels/{id}', { params, signal })).data
    },
    refetchInterval: INTERVAL_MS,
  })

export interface PreviewRequest {
  type: ChannelTypeName
  event: SelectableChannelEvent
  messageTemplate: string | null
  bodyTemplate: string | null
}

export const previewQuery = (body: PreviewRequest) =>
  queryOptions({
    queryKey: ['notification-channels', 'preview', body],
    queryFn: async ({ signal }) =>
      (await api.POST('/api/v1/notification-channels/preview', { body, signal })).data,
    placeholderData: keepPreviousData,
  })

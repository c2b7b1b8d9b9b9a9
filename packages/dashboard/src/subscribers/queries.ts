/**
 * Reads of subscribers. Confirmations and deliveries change their status without an event, so that
 * the list is read again in an interval.
 */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { PAGE_SIZE, type SubscriberFilters, toSubscriberQuery } from './filters.ts'

const INTERVAL_MS = 30_000

export const subscribersQuery = (filters: SubscriberFilters) => {
  const query = { ...toSubscriberQuery(filters), page: filters.page ?? 1, pageSize: PAGE_SIZE }
  return queryOptions({
    queryKey: ['subscribers', 'list', query],
    queryFn: async ({ signal }) => {
      const { data } = await api.GET('/api/v1/subscribers', { params: { query }, signal })
      // The reply is a text for the format CSV only.
      return data as Exclude<typeof data, string>
    },
    placeholderData: keepPreviousData,
    refetchInterval: INTERVAL_MS,
  })
}

export const subscriberQuery = (id: string) =>
  queryOptions({
    queryKey: ['subscribers', 'detail', id],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/subscribers/{id}', { params: { path: { id } }, signal })).data,
  })

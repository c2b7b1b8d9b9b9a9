/**
 * Reads of the delivery log. Deliveries change without events: a list with open ones is read again
 * in an interval, and every list after an event that creates deliveries (src/live).
 */
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type DeliveryData, type DeliveryLogFilters, toDeliveryQuery } from './filters.ts'

const OPEN_INTERVAL_MS = 3_000

const isOpen = ({ state }: DeliveryData): boolean => state === 'pending' || state === 'sending'

export const deliveriesQuery = (filters: DeliveryLogFilters) => {
  const query = toDeliveryQuery(filters)
  return queryOptions({
    queryKey: ['deliveries', 'list', query],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/notifications', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: ({ state: { data } }) => data?.data.some(isOpen) === true && OPEN_INTERVAL_MS,
  })
}

export const deliveryQuery = (id: string) =>
  queryOptions({
    queryKey: ['deliveries', 'detail', id],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/notifications/{id}', { params: { path: { id } }, signal })).data,
    refetchInterval: ({ state: { data } }) =>
      data !== undefined && isOpen(data) && OPEN_INTERVAL_MS,
  })

/**
 * Reads of on-call schedules and alerts with their cache keys. Events announce the changes of
 * alerts; those of schedules, and the hand-offs, are read again after an interval.
 */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type AlertFilters, toAlertQuery } from './alert-filters.ts'

export type Schedule = Schemas['OncallSchedule']
export type OnCallAlert = Schemas['OncallAlert']

const PAGE_SIZE = 100
/** Members beyond these pages cannot be chosen. */
const MAX_PAGES = 20
const SCHEDULE_INTERVAL_MS = 30_000
const NAMES_STALE_AFTER_MS = 60_000

/** Beginning of the keys of all reads of schedules. */
export const schedulesKey = ['oncall-schedules']

export const schedulesQuery = (page = 1) =>
  queryOptions({
    queryKey: [...schedulesKey, 'list', page],
    queryFn: async ({ signal }) => {
      const query = { page, pageSize: PAGE_SIZE }
      return (await api.GET('/api/v1/oncall/schedules', { params: { query }, signal })).data
    },
    refetchInterval: SCHEDULE_INTERVAL_MS,
    placeholderData: keepPreviousData,
  })

export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: [...schedulesKey, 'detail', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } }
      return (await api.GET('/api/v1/oncall/schedules/{id}', { params, signal })).data
    },
    refetchInterval: SCHEDULE_INTERVAL_MS,
  })

export const timelineQuery = (id: string, { from, to }: { from: string; to: string }) =>
  queryOptions({
    queryKey: [...schedulesKey, 'timeline', id, from, to],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { from, to } }
      return (await api.GET('/api/v1/oncall/schedules/{id}/timeline', { params, signal })).data
    },
    refetchInterval: SCHEDULE_INTERVAL_MS,
    placeholderData: keepPreviousData,
  })

/** Beginning of the keys of all reads of alerts (src/live/event-queries.ts). */
export const alertsKey = ['oncall-alerts']

export const alertsQuery = (filters: AlertFilters) => {
  const query = toAlertQuery(filters)
  return queryOptions({
    queryKey: [...alertsKey, 'list', query],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/oncall/alerts', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
  })
}

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: [...alertsKey, 'detail', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } }
      return (await api.GET('/api/v1/oncall/alerts/{id}', { params, signal })).data
    },
  })

export const memberNamesQuery = queryOptions({
  queryKey: ['members', 'names'],
  queryFn: async ({ signal }) => {
    const members: { id: string; name: string }[] = []
    for (let page = 1; page <= MAX_PAGES; page++) {
      const query = {
        page,
        pageSize: PAGE_SIZE,
        sortBy: 'name' as const,
        sortOrder: 'asc' as const,
      }
      const { data } = await api.GET('/api/v1/organization/members', { params: { query }, signal })
      members.push(...data.data.map(({ userId: id, name }) => ({ id, name })))
      if (members.length >= data.meta.total) break
    }
    return members
  },
  staleTime: NAMES_STALE_AFTER_MS,
})

export const channelNamesQuery = queryOptions({
  queryKey: ['notification-channels', 'names'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: PAGE_SIZE }
    const { data } = await api.GET('/api/v1/notification-channels', { params: { query }, signal })
    return data.data.map(({ id, name }) => ({ id, name }))
  },
  staleTime: NAMES_STALE_AFTER_MS,
})

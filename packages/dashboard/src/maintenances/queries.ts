/** Reads of maintenances with their cache keys, which the event stream invalidates (src/live). */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type MaintenanceFilters, sharedQuery, toMaintenanceQuery } from './filters.ts'

export type MaintenanceData = Schemas['Maintenance']
export type OccurrenceData = Schemas['ExpectedOccurrence']
export type RecurrenceData = NonNullable<MaintenanceData['recurrence']>

const CALENDAR_PAGE_SIZE = 100
/** More maintenances than a calendar can show; it says that it lacks some. */
const MAX_CALENDAR_PAGES = 3

export const maintenancesQuery = (filters: MaintenanceFilters) => {
  const query = toMaintenanceQuery(filters)
  return queryOptions({
    queryKey: ['maintenances', 'list', query],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/maintenances', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
  })
}

export const maintenanceQuery = (id: string) =>
  queryOptions({
    queryKey: ['maintenances', 'detail', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { include: ['updates'] as 'updates'[] } }
      return (await api.GET('/api/v1/maintenances/{id}', { params, signal })).data
    },
  })

export interface CalendarRange {
  from: string
  to: string
}

/** Maintenances whose windows overlap the range, and expected occurrences that start in it. */
export const calendarQuery = ({ from, to }: CalendarRange, filters: MaintenanceFilters) =>
  queryOptions({
    queryKey: ['maintenances', 'calendar', from, to, sharedQuery(filters)],
    queryFn: async ({ signal }) => {
      const maintenances: MaintenanceData[] = []
      let total = 0
      for (let page = 1; page <= MAX_CALENDAR_PAGES; page++) {
        const range = { from, to, sortBy: 'scheduledFor', sortOrder: 'asc' } as const
        const query = { ...range, ...sharedQuery(filters), page, pageSize: CALENDAR_PAGE_SIZE }
        const { data } = await api.GET('/api/v1/maintenances', { params: { query }, signal })
        maintenances.push(...data.data)
        total = data.meta.total
        if (maintenances.length >= total) break
      }
      const expected = await expectedOccurrences({ from, to }, filters, signal)
      return { maintenances, expected, isComplete: maintenances.length >= total }
    },
    placeholderData: keepPreviousData,
  })

/** The API does not filter expected occurrences, so a filtered calendar has none. */
const expectedOccurrences = async (
  { from, to }: CalendarRange,
  filters: MaintenanceFilters,
  signal: AbortSignal,
): Promise<OccurrenceData[]> => {
  if (Object.keys(sharedQuery(filters)).length > 0) return []
  const query = { from, to, sortOrder: 'asc', pageSize: CALENDAR_PAGE_SIZE } as const
  const { data } = await api.GET('/api/v1/maintenances/occurrences', { params: { query }, signal })
  return data.data
}

export interface PreviewBody {
  scheduledFor: string
  scheduledUntil: string
  recurrence: RecurrenceData
}

export const recurrencePreviewQuery = (body: PreviewBody) =>
  queryOptions({
    queryKey: ['maintenances', 'preview', body],
    queryFn: async ({ signal }) =>
      (await api.POST('/api/v1/maintenances/preview-recurrence', { body, signal })).data,
    placeholderData: keepPreviousData,
    retry: false,
  })

/** Reads of service levels with their cache keys, which the event stream invalidates (src/live). */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type ServiceLevelFilters, toServiceLevelQuery } from './filters.ts'
import { periodRange, type ReportPeriod } from './periods.ts'

export type ServiceLevel = Schemas['Sla']
export type ServiceLevelReport = Schemas['SlaReport']

/** The service evaluates every minute, without an event unless the status changes. */
const EVALUATION_INTERVAL_MS = 60_000

export const serviceLevelsQuery = (filters: ServiceLevelFilters) => {
  const query = toServiceLevelQuery(filters)
  return queryOptions({
    queryKey: ['slas', 'list', query],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/sla', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
    refetchInterval: EVALUATION_INTERVAL_MS,
  })
}

export const serviceLevelQuery = (id: string) =>
  queryOptions({
    queryKey: ['slas', 'detail', id],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/sla/{id}', { params: { path: { id } }, signal })).data,
    refetchInterval: EVALUATION_INTERVAL_MS,
  })

export const reportQuery = (id: string, period: ReportPeriod) => {
  const query = periodRange(period)
  return queryOptions({
    queryKey: ['slas', 'report', id, query],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query }
      // Without the format of a file the reply is JSON.
      return (await api.GET('/api/v1/sla/{id}/report', { params, signal }))
        .data as ServiceLevelReport
    },
    placeholderData: keepPreviousData,
  })
}

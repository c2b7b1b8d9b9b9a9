/** Reads of incidents with their cache keys, which the event stream invalidates (src/live). */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { type IncidentFilters, toIncidentQuery } from './filters.ts'

export type IncidentDetail = Schemas['Incident']
export type PostedUpdate = NonNullable<IncidentDetail['updates']>[number]

export const incidentsQuery = (filters: IncidentFilters) => {
  const query = toIncidentQuery(filters)
  return queryOptions({
    queryKey: ['incidents', 'list', query],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/incidents', { params: { query }, signal })).data,
    placeholderData: keepPreviousData,
  })
}

export const incidentQuery = (id: string) =>
  queryOptions({
    queryKey: ['incidents', 'detail', id],
    queryFn: async ({ signal }) => {
      const query = { include: ['updates', 'postmortem'] as ('updates' | 'postmortem')[] }
      const params = { path: { id }, query }
      return (await api.GET('/api/v1/incidents/{id}', { params, signal })).data
    },
  })

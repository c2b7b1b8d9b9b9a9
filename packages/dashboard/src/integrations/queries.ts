/** Reads of integrations; all keys begin with `integrations`. */
import { ApiError, type Schemas } from '@status-page/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { boundsOf, type Range, valuesIntervalMs } from '../components/queries.ts'

const LIST_SIZE = 100
const VALUES_INTERVAL_MS = 15_000
const NOT_FOUND = 404

export type MetricQueryData = Schemas['MetricQuery']
export type AlertIntakeData = Schemas['AlertIntake']

export const integrationQuery = (id: string) =>
  queryOptions({
    queryKey: ['integrations', id],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/integrations/{id}', { params: { path: { id } }, signal })).data,
  })

export const metricQueriesQuery = (id: string) =>
  queryOptions({
    queryKey: ['integrations', id, 'metrics'],
    queryFn: async ({ signal }) => {
      const params = {
        path: { id },
        query: { pageSize: LIST_SIZE, sortBy: 'name', sortOrder: 'asc' } as const,
      }
      return (await api.GET('/api/v1/integrations/{id}/metrics', { params, signal })).data
    },
    refetchInterval: VALUES_INTERVAL_MS,
  })

export const metricQueryQuery = (id: string, queryId: string) =>
  queryOptions({
    queryKey: ['integrations', id, 'metrics', queryId],
    queryFn: async ({ signal }) => {
      const params = { path: { id, queryId } }
      return (await api.GET('/api/v1/integrations/{id}/metrics/{queryId}', { params, signal })).data
    },
    refetchInterval: VALUES_INTERVAL_MS,
  })

export const metricSeriesQuery = (id: string, queryId: string, range: Range) =>
  queryOptions({
    queryKey: ['integrations', id, 'metrics', queryId, 'series', range],
    queryFn: async ({ signal }) => {
      const params = { path: { id, queryId }, query: boundsOf(range) }
      return (
        await api.GET('/api/v1/integrations/{id}/metrics/{queryId}/series', { params, signal })
      ).data
    },
    refetchInterval: valuesIntervalMs(range),
  })

/** Null for an integration without an alert intake. */
export const alertIntakeQuery = (id: string) =>
  queryOptions({
    queryKey: ['integrations', id, 'alert-intake'],
    queryFn: async ({ signal }): Promise<AlertIntakeData | null> => {
      try {
        const params = { path: { id } }
        return (await api.GET('/api/v1/integrations/{id}/alert-intake', { params, signal })).data
      } catch (error) {
        if (error instanceof ApiError && error.status === NOT_FOUND) return null
        throw error
      }
    },
  })

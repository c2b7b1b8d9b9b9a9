/** Reads of components, their checks and their history. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

const PAGE_SIZE = 100
const LIST_INTERVAL_MS = 30_000
const LONG_LIST_INTERVAL_MS = 2_000
const DETAIL_INTERVAL_MS = 15_000
const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Days of the uptime, today included. */
const UPTIME_DAYS = 90

let listedAtMs = 0

/**
 * Delays a list of many pages: events can invalidate it every second, and ten pages a second would
 * exceed the rate limit of the session.
 */
const spaceLists = async (isLong: boolean): Promise<void> => {
  const delayMs = isLong ? listedAtMs + LONG_LIST_INTERVAL_MS - Date.now() : 0
  if (delayMs > 0) await new Promise((resolve) => setTimeout(resolve, delayMs))
  listedAtMs = Date.now()
}

/** All components. The pages after the first are requested at once. */
export const allComponentsQuery = queryOptions({
  queryKey: ['components', 'all'],
  queryFn: async ({ signal, client }) => {
    const known = client.getQueryData<unknown[]>(['components', 'all'])?.length ?? 0
    await spaceLists(known > PAGE_SIZE)
    const pageOf = async (page: number) => {
      const query = { page, pageSize: PAGE_SIZE }
      return (await api.GET('/api/v1/components', { params: { query }, signal })).data
    }
    const first = await pageOf(1)
    const further = Math.ceil(first.meta.total / PAGE_SIZE) - 1
    const others = await Promise.all(
      Array.from({ length: Math.max(0, further) }, (_, index) => pageOf(index + 2)),
    )
    return [first, ...others].flatMap(({ data }) => data)
  },
  refetchInterval: LIST_INTERVAL_MS,
})

export const componentQuery = (id: string) =>
  queryOptions({
    queryKey: ['components', id],
    queryFn: async ({ signal }) => {
      const query: { include: ('monitors' | 'subComponents')[] } = {
        include: ['monitors', 'subComponents'],
      }
      const params = { path: { id }, query }
      return (await api.GET('/api/v1/components/{id}', { params, signal })).data
    },
    refetchInterval: DETAIL_INTERVAL_MS,
  })

/** Number of affected components that are shown. */
const MAX_SHOWN_IMPACT = 20

export const impactQuery = (id: string) =>
  queryOptions({
    queryKey: ['components', id, 'impact'],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { pageSize: MAX_SHOWN_IMPACT } }
      return (await api.GET('/api/v1/components/{id}/impact', { params, signal })).data
    },
    refetchInterval: LIST_INTERVAL_MS,
  })

const ranges = { day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS } as const
export type Range = keyof typeof ranges
export const rangeNames = Object.keys(ranges) as Range[]

/** Bounds of a range that ends now. */
export const boundsOf = (range: Range): { from: string; to: string } => {
  const to = Date.now()
  return { from: new Date(to - ranges[range]).toISOString(), to: new Date(to).toISOString() }
}

/** Interval between reads of the values of a range: points of a long one are an hour wide. */
export const valuesIntervalMs = (range: Range): number =>
  range === 'day' ? DETAIL_INTERVAL_MS : 4 * DETAIL_INTERVAL_MS

export const responseTimesQuery = (id: string, range: Range) =>
  queryOptions({
    queryKey: ['components', id, 'response-times', range],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: boundsOf(range) }
      return (await api.GET('/api/v1/components/{id}/response-times', { params, signal })).data
    },
    refetchInterval: 4 * DETAIL_INTERVAL_MS,
  })

export const componentValuesQuery = (id: string, range: Range) =>
  queryOptions({
    queryKey: ['components', id, 'values', range],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: boundsOf(range) }
      return (await api.GET('/api/v1/components/{id}/values', { params, signal })).data
    },
    refetchInterval: valuesIntervalMs(range),
  })

export const checksQuery = (id: string, pageSize: number) =>
  queryOptions({
    queryKey: ['components', id, 'checks', pageSize],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { pageSize } }
      return (await api.GET('/api/v1/components/{id}/checks', { params, signal })).data
    },
    refetchInterval: DETAIL_INTERVAL_MS,
  })

export const heartbeatQuery = (id: string) =>
  queryOptions({
    queryKey: ['components', id, 'heartbeat'],
    queryFn: async ({ signal }) => {
      const params = { path: { id } }
      return (await api.GET('/api/v1/components/{id}/heartbeat', { params, signal })).data
    },
    refetchInterval: DETAIL_INTERVAL_MS,
  })

export const uptimeQuery = (id: string) =>
  queryOptions({
    queryKey: ['components', id, 'uptime'],
    queryFn: async ({ signal }) => {
      const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
      const start = new Date()
      start.setDate(start.getDate() - UPTIME_DAYS + 1)
      start.setHours(0, 0, 0, 0)
      const query = { timezone: timeZone, from: start.toISOString() }
      const params = { path: { id }, query }
      return (await api.GET('/api/v1/components/{id}/uptime', { params, signal })).data
    },
  })

export const statusHistoryQuery = (id: string, pageSize: number) =>
  queryOptions({
    queryKey: ['components', id, 'status-history', pageSize],
    queryFn: async ({ signal }) => {
      const params = { path: { id }, query: { pageSize } }
      return (await api.GET('/api/v1/components/{id}/status-history', { params, signal })).data
    },
  })

export const componentIncidentsQuery = (componentId: string) =>
  queryOptions({
    queryKey: ['incidents', 'of-component', componentId],
    queryFn: async ({ signal }) => {
      const query = { componentId, pageSize: 10 }
      return (await api.GET('/api/v1/incidents', { params: { query }, signal })).data
    },
  })

export const integrationsQuery = queryOptions({
  queryKey: ['integrations'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: PAGE_SIZE }
    return (await api.GET('/api/v1/integrations', { params: { query }, signal })).data
  },
})

/** Reads of the API with their cache keys. */
import { queryOptions } from '@tanstack/react-query'
import { api } from './client.ts'

/** Deliveries are sent without events, so the overview counts pending ones again in this interval. */
const PENDING_DELIVERIES_INTERVAL_MS = 10_000
const LIST_SIZE = 100

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => (await api.GET('/api/v1/auth/me', { signal })).data,
})

export const overviewQuery = queryOptions({
  queryKey: ['overview'],
  queryFn: async ({ signal }) => (await api.GET('/api/v1/overview', { signal })).data,
  refetchInterval: ({ state }) =>
    (state.data?.deliveries?.pending ?? 0) > 0 && PENDING_DELIVERIES_INTERVAL_MS,
})

export const statusPagesQuery = queryOptions({
  queryKey: ['status-pages'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: LIST_SIZE, sortBy: 'createdAt', sortOrder: 'asc' } as const
    return (await api.GET('/api/v1/status-pages', { params: { query }, signal })).data
  },
})

export const sampleDataQuery = queryOptions({
  queryKey: ['sample-data'],
  queryFn: async ({ signal }) => (await api.GET('/api/v1/sample-data', { signal })).data,
})

export const componentsQuery = queryOptions({
  queryKey: ['components'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: LIST_SIZE }
    return (await api.GET('/api/v1/components', { params: { query }, signal })).data
  },
})

export const invitationsQuery = queryOptions({
  queryKey: ['invitations'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: LIST_SIZE }
    return (await api.GET('/api/v1/organization/invitations', { params: { query }, signal })).data
  },
})

export const membersQuery = queryOptions({
  queryKey: ['members'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: LIST_SIZE }
    return (await api.GET('/api/v1/organization/members', { params: { query }, signal })).data
  },
})

/** All private locations: an organization has fewer than a page of the list. */
export const locationsQuery = queryOptions({
  queryKey: ['locations'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: LIST_SIZE, sortBy: 'name', sortOrder: 'asc' } as const
    return (await api.GET('/api/v1/locations', { params: { query }, signal })).data
  },
})

/** Reads of status pages. */
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const statusPageQuery = (id: string) =>
  queryOptions({
    queryKey: ['status-pages', 'detail', id],
    queryFn: async ({ signal }) => {
      const params = { path: { id } }
      return (await api.GET('/api/v1/status-pages/{id}', { params, signal })).data
    },
  })

/** Page of the list, whose length the API limits. */
export const statusPageListQuery = (page: number, pageSize: number) =>
  queryOptions({
    queryKey: ['status-pages', 'list', page, pageSize],
    queryFn: async ({ signal }) => {
      const query = { page, pageSize, sortBy: 'name', sortOrder: 'asc' } as const
      return (await api.GET('/api/v1/status-pages', { params: { query }, signal })).data
    },
  })

/** Number of subscribers that the deletion of a page deletes. */
export const subscriberCountQuery = (statusPageId: string) =>
  queryOptions({
    queryKey: ['subscribers', 'count', statusPageId],
    queryFn: async ({ signal }) => {
      const query = { statusPageId, pageSize: 1 }
      const { data } = await api.GET('/api/v1/subscribers', { params: { query }, signal })
      // The same path responds with CSV, too.
      return typeof data === 'string' ? 0 : data.meta.total
    },
  })

/** HTML of the page with the settings of `body`, as JSON text. */
export const previewQuery = (id: string, body: string) =>
  queryOptions({
    queryKey: ['status-pages', 'preview', id, body],
    queryFn: async ({ signal }) => {
      const request = { params: { path: { id } }, body: JSON.parse(body), signal }
      return (await api.POST('/api/v1/status-pages/{id}/preview', request)).data.html
    },
    // A preview is as large as the page.
    gcTime: 0,
  })

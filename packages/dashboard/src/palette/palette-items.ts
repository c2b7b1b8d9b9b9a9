/** Entries of the command palette: what the application offers, and what the API finds. */
import type { Schemas } from '@status-page/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

/** Minimum length of a text that the API is searched for. */
export const MIN_SEARCH = 2
const MAX_SEARCH = 100
const MAX_RESULTS = 5

const searchOf = (text: string) => ({ search: text.slice(0, MAX_SEARCH), pageSize: MAX_RESULTS })

export const foundIncidentsQuery = (text: string) =>
  queryOptions({
    queryKey: ['incidents', 'list', 'palette', text],
    queryFn: async ({ signal }): Promise<Schemas['Incident'][]> => {
      const query = searchOf(text)
      return (await api.GET('/api/v1/incidents', { params: { query }, signal })).data.data
    },
  })

export const foundComponentsQuery = (text: string) =>
  queryOptions({
    queryKey: ['components', 'palette', text],
    queryFn: async ({ signal }): Promise<Schemas['Component'][]> => {
      const query = searchOf(text)
      return (await api.GET('/api/v1/components', { params: { query }, signal })).data.data
    },
  })

export const foundPagesQuery = (text: string) =>
  queryOptions({
    queryKey: ['status-pages', 'palette', text],
    queryFn: async ({ signal }): Promise<Schemas['StatusPage'][]> => {
      const query = searchOf(text)
      return (await api.GET('/api/v1/status-pages', { params: { query }, signal })).data.data
    },
  })

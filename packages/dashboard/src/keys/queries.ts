/** Reads of API keys. */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export type ApiKeyData = Schemas['ApiKey']

export const KEYS_PER_PAGE = 100

export const apiKeysQuery = (page: number) =>
  queryOptions({
    queryKey: ['api-keys', page],
    queryFn: async ({ signal }) => {
      const query = { page, pageSize: KEYS_PER_PAGE }
      return (await api.GET('/api/v1/api-keys', { params: { query }, signal })).data
    },
    placeholderData: keepPreviousData,
  })

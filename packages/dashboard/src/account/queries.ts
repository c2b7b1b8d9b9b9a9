/** Reads of the own account. */
import type { Schemas } from '@status-page/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export type SessionData = Schemas['Session']

/** More than the sessions that a user can have. */
const MAX_SESSIONS = 100

export const twoFactorQuery = queryOptions({
  queryKey: ['two-factor'],
  queryFn: async ({ signal }) => (await api.GET('/api/v1/auth/2fa', { signal })).data,
})

export const sessionsQuery = queryOptions({
  queryKey: ['sessions'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: MAX_SESSIONS }
    return (await api.GET('/api/v1/auth/sessions', { params: { query }, signal })).data.data
  },
})

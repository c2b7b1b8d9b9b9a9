/** Reads and writes of the configuration; all keys begin with `configuration`. */
import { ApiError, type Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export const VERSIONS_PER_PAGE = 20
const MAX_VARIABLES_PER_PAGE = 100
export const RUNS_PER_PAGE = 10
const RUNNING_INTERVAL_MS = 1_000
const RUNS_INTERVAL_MS = 15_000
const NOT_FOUND = 404

export type ApplyResult = Schemas['ConfigApplyResult']
export type AppliedVersion = Schemas['ConfigurationVersion']

export const exportQuery = queryOptions({
  queryKey: ['configuration', 'export'],
  queryFn: async ({ signal }) =>
    (await api.GET('/api/v1/config/export', { parseAs: 'text', signal })).data,
})

export const driftQuery = queryOptions({
  queryKey: ['configuration', 'drift'],
  queryFn: async ({ signal }) => (await api.GET('/api/v1/config/drift', { signal })).data,
})

/** Request with the document as it is: the service reports the position of a problem in it. */
const bodyOf = (document: string) => ({
  body: document as never,
  bodySerializer: (body: unknown) => body,
  headers: { 'content-type': 'application/yaml' },
})

/** Texts are not retained: each pause while typing would add one of up to 256 KiB. */
export const validationQuery = (document: string) =>
  queryOptions({
    queryKey: ['configuration', 'validation', document],
    queryFn: async ({ signal }) =>
      (await api.POST('/api/v1/config/validate', { ...bodyOf(document), signal })).data,
    placeholderData: keepPreviousData,
    gcTime: 0,
  })

interface ApplyOptions {
  dryRun: boolean
  prune: boolean
}

export const applyDocument = async (document: string, query: ApplyOptions): Promise<ApplyResult> =>
  (await api.POST('/api/v1/config/apply', { params: { query }, ...bodyOf(document) })).data

export const versionsQuery = (page: number) =>
  queryOptions({
    queryKey: ['configuration', 'versions', page],
    queryFn: async ({ signal }) => {
      const query = {
        page,
        pageSize: VERSIONS_PER_PAGE,
        sortBy: 'createdAt',
        sortOrder: 'desc',
      } as const
      return (await api.GET('/api/v1/config/versions', { params: { query }, signal })).data
    },
    placeholderData: keepPreviousData,
  })

export const versionQuery = (id: string) =>
  queryOptions({
    queryKey: ['configuration', 'version', id],
    queryFn: async ({ signal }) =>
      (await api.GET('/api/v1/config/versions/{id}', { params: { path: { id } }, signal })).data,
  })

export const rollBack = async (id: string, query: ApplyOptions): Promise<ApplyResult> => {
  const params = { path: { id }, query }
  return (await api.POST('/api/v1/config/versions/{id}/rollback', { params })).data
}

export const variablesQuery = (page: number) =>
  queryOptions({
    queryKey: ['configuration', 'variables', page],
    queryFn: async ({ signal }) => {
      const query = {
        page,
        pageSize: MAX_VARIABLES_PER_PAGE,
        sortBy: 'name',
        sortOrder: 'asc',
      } as const
      return (await api.GET('/api/v1/config/variables', { params: { query }, signal })).data
    },
    placeholderData: keepPreviousData,
  })

export type GitSyncData = Schemas['GitSync']
export type GitSyncRunData = Schemas['GitSyncRun']

/** Null for an organization without Git sync. */
export const gitSyncQuery = queryOptions({
  queryKey: ['configuration', 'git-sync'],
  queryFn: async ({ signal }): Promise<GitSyncData | null> => {
    try {
      return (await api.GET('/api/v1/config/git-sync', { signal })).data
    } catch (error) {
      if (error instanceof ApiError && error.status === NOT_FOUND) return null
      throw error
    }
  },
})

export const isUnfinished = ({ status }: GitSyncRunData): boolean =>
  status === 'queued' || status === 'running'

/** Syncs emit no events: they are read again in short intervals until the latest one ends. */
export const gitSyncRunsQuery = (page: number) =>
  queryOptions({
    queryKey: ['configuration', 'git-sync', 'runs', page],
    queryFn: async ({ signal }) => {
      const query = {
        page,
        pageSize: RUNS_PER_PAGE,
        sortBy: 'timestamp',
        sortOrder: 'desc',
      } as const
      return (await api.GET('/api/v1/config/git-sync/history', { params: { query }, signal })).data
    },
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) =>
      state.data?.data.some(isUnfinished) === true ? RUNNING_INTERVAL_MS : RUNS_INTERVAL_MS,
  })

/** Reads of the composer. */

import type { NewIncident } from '@status-page/contracts'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { allComponentsQuery } from '../components/queries.ts'
import type { NamedComponent } from './parse-line.ts'

const PAGE_SIZE = 100
const NAMES_STALE_AFTER_MS = 60_000

/** Names of the components; those of equal name have the name of their parent. */
export const componentNamesQuery = queryOptions({
  queryKey: ['components', 'names'],
  queryFn: async ({ client }) => {
    // A view that displays components has read them, or reads them at the same time.
    const options = { ...allComponentsQuery, staleTime: NAMES_STALE_AFTER_MS }
    const components = await client.fetchQuery(options)
    const names = new Map(components.map(({ id, name }) => [id, name]))
    return components.map(
      ({ id, name, parentComponentId }): ComponentName => ({
        id,
        name,
        parentName: names.get(parentComponentId ?? '') ?? null,
      }),
    )
  },
  staleTime: NAMES_STALE_AFTER_MS,
})

export interface ComponentName extends NamedComponent {
  parentName: string | null
}

export const componentLabel = ({ name, parentName }: ComponentName): string =>
  parentName === null ? name : `${name} (${parentName})`

export const incidentTemplatesQuery = queryOptions({
  queryKey: ['incident-templates'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: PAGE_SIZE }
    return (await api.GET('/api/v1/incident-templates', { params: { query }, signal })).data
  },
  staleTime: NAMES_STALE_AFTER_MS,
})

export const openIncidentsQuery = queryOptions({
  queryKey: ['incidents', 'open'],
  queryFn: async ({ signal }) => {
    const query = { resolved: false, pageSize: PAGE_SIZE }
    return (await api.GET('/api/v1/incidents', { params: { query }, signal })).data
  },
})

/** Fields of an incident that determine its recipients. */
export type AudienceBody = Pick<
  NewIncident,
  'impact' | 'status' | 'componentIds' | 'componentStatuses' | 'notifySubscribers'
>

export const audienceQuery = (body: AudienceBody) =>
  queryOptions({
    queryKey: ['incidents', 'audience', body],
    queryFn: async ({ signal }) => {
      // The title has no influence on the recipients, and is required.
      const preview = { title: '-', ...body }
      return (await api.POST('/api/v1/incidents/preview-audience', { body: preview, signal })).data
    },
    placeholderData: keepPreviousData,
    retry: false,
  })

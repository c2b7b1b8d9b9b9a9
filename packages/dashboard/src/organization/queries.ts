/** Reads of the organization, its identity provider and its domains. */
import { ApiError, type Schemas } from '@status-page/client'
import { queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'

export type OrganizationData = Schemas['Organization']
export type ProviderData = Schemas['SamlSettings']
export type DomainData = Schemas['Domain']

const LIST_SIZE = 100
const NOT_FOUND = 404

export const organizationQuery = queryOptions({
  queryKey: ['organization'],
  queryFn: async ({ signal }) => (await api.GET('/api/v1/organization', { signal })).data,
})

/** Null if no identity provider is set. */
export const providerQuery = queryOptions({
  queryKey: ['identity-provider'],
  queryFn: async ({ signal }): Promise<ProviderData | null> => {
    try {
      return (await api.GET('/api/v1/organization/saml', { signal })).data
    } catch (error) {
      if (error instanceof ApiError && error.status === NOT_FOUND) return null
      throw error
    }
  },
})

export const domainsQuery = queryOptions({
  queryKey: ['domains'],
  queryFn: async ({ signal }) => {
    const query = { pageSize: LIST_SIZE }
    return (await api.GET('/api/v1/organization/domains', { params: { query }, signal })).data.data
  },
})

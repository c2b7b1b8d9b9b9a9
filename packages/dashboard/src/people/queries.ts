/** Reads of members, roles and invitations. */
import type { Schemas } from '@status-page/client'
import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { membersQuery } from '../api/queries.ts'
import type { MemberSearch } from './member-search.ts'

export type MemberData = Schemas['Member']
export type RoleData = Schemas['Role']

export const MEMBERS_PER_PAGE = 20
const ROLES_PER_PAGE = 100

export const foundMembersQuery = ({ search, page = 1 }: MemberSearch) =>
  queryOptions({
    queryKey: [...membersQuery.queryKey, 'found', search, page],
    queryFn: async ({ signal }) => {
      const query = {
        page,
        pageSize: MEMBERS_PER_PAGE,
        sortBy: 'name',
        sortOrder: 'asc',
        ...(search !== undefined && { search }),
      } as const
      return (await api.GET('/api/v1/organization/members', { params: { query }, signal })).data
    },
    placeholderData: keepPreviousData,
  })

/** All roles; an organization has a few more than a page at most. */
export const rolesQuery = queryOptions({
  queryKey: ['roles'],
  queryFn: async ({ signal }) => {
    const roles: RoleData[] = []
    for (let page = 1; ; page++) {
      const query = { page, pageSize: ROLES_PER_PAGE, sortBy: 'name', sortOrder: 'asc' } as const
      const { data } = await api.GET('/api/v1/organization/roles', { params: { query }, signal })
      roles.push(...data.data)
      if (data.data.length < ROLES_PER_PAGE) return roles
    }
  },
})

export const roleQuery = (id: string) =>
  queryOptions({
    queryKey: ['roles', id],
    queryFn: async ({ signal }) => {
      const path = { id }
      return (await api.GET('/api/v1/organization/roles/{id}', { params: { path }, signal })).data
    },
  })

/** Who is asking: the user with all their organizations, or the key. */
import {
  type authOperations,
  type Grants,
  holds,
  type Me,
  type Permission,
  permissions,
  requirementOf,
  unauthorized,
} from '@status-page/contracts'
import { crossLookup, type Database } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { keyById } from '../api-keys/store.ts'
import { accountById } from './account-store.ts'
import * as store from './store.ts'

type MeCall = Call<typeof authOperations.me>

export const me = (call: MeCall, database: Database): Promise<Me> =>
  call.caller.actor.userId === null
    ? meAsKey(call)
    : meAsUser(call, database, call.caller.actor.userId)

const meAsUser = async (call: MeCall, database: Database, userId: string): Promise<Me> => {
  const { account, memberships } = await crossLookup(database, async (crossing) => ({
    account: await accountById(crossing, userId),
    memberships: await store.membershipsOf(crossing, userId),
  }))
  const organizations = memberships.map(({ organizationId, organizationName, slug, role }) => ({
    id: organizationId,
    name: organizationName,
    slug,
    role,
  }))
  const organization = organizations.find(({ id }) => id === call.organizationId)
  if (account === null || organization === undefined) throw unauthorized()
  const { id, email, name, twoFactorEnabled } = account
  return {
    user: { id, email, name, twoFactorEnabled },
    organization,
    organizations,
    permissions: permissionsOf(call.caller.grants),
  }
}

const meAsKey = (call: MeCall): Promise<Me> =>
  call.read(async (scope) => {
    const key = await keyById(scope, call.actor.apiKeyId ?? '')
    const organization = await store.ownOrganization(scope)
    if (key === null || organization === null) throw unauthorized()
    return {
      user: null,
      organization: { ...organization, role: null },
      organizations: [],
      permissions: permissionsOf(call.caller.grants),
      apiKey: { id: key.id, name: key.name },
    }
  })

/** What a key with the same reach would hold: `write` needs every action behind it. */
const permissionsOf = (grants: Grants): string[] =>
  grants.kind === 'key'
    ? [...grants.permissions]
    : permissions.filter((permission) => holdsFully(grants, permission))

const holdsFully = (grants: Grants, permission: Permission): boolean =>
  permission.endsWith(':read')
    ? holds(grants, requirementOf(permission, 'GET'))
    : ['POST', 'PATCH', 'DELETE'].every((method) =>
        holds(grants, requirementOf(permission, method)),
      )

/** Identity of the caller: a user with their organizations, or an API key. */
import {
  type authOperations,
  type Grants,
  grantsMeet,
  type Me,
  requirementOfRight,
  rights,
  unauthorized,
} from '@status-page/contracts'
import { asLookup } from '@status-page/postgres'
import type { Call } from '@status-page/service'
import { keyById } from '../api-keys/store.ts'
import { sessionByHash } from '../sessions/session-store.ts'
import { presentedTokenHash, type SessionOptions } from '../sessions/sessions.ts'
import { accountById } from '../users/account-store.ts'
import * as store from '../users/membership-store.ts'

type MeCall = Call<typeof authOperations.me>

type MeOptions = Pick<SessionOptions, 'database' | 'cookie'>

export const getMe = (call: MeCall, options: MeOptions): Promise<Me> =>
  call.caller.actor.userId === null
    ? meAsKey(call)
    : meAsUser(call, options, call.caller.actor.userId)

const meAsUser = async (call: MeCall, options: MeOptions, userId: string): Promise<Me> => {
  const tokenHash = presentedTokenHash(call, options)
  const { account, session, memberships } = await asLookup(
    options.database,
    async (systemScope) => ({
      account: await accountById(systemScope, userId),
      session: tokenHash === null ? null : await sessionByHash(systemScope, tokenHash),
      memberships: await store.membershipsOf(systemScope, userId),
    }),
  )
  // A session of single sign-on sees only the organization of its provider.
  const visible = memberships.filter(
    ({ organizationId }) =>
      session?.method === 'password' || organizationId === session?.organizationId,
  )
  const organizations = visible.map(({ organizationId, organizationName, slug, role }) => ({
    id: organizationId,
    name: organizationName,
    slug,
    role,
  }))
  const organization = organizations.find(({ id }) => id === call.organizationId)
  if (account === null || organization === undefined) throw unauthorized()
  const { id, email, name, twoFactorEnabled } = account
  const emailVerified = account.emailVerifiedAt !== null
  return {
    user: { id, email, name, twoFactorEnabled, emailVerified },
    organization,
    organizations,
    permissions: permissionsOf(call.caller.grants),
  }
}

const meAsKey = (call: MeCall): Promise<Me> =>
  call.read(async (scope) => {
    const key = await keyById(scope, call.actor.apiKeyId ?? '')
    const organization = await store.readOrganization(scope)
    if (key === undefined || organization === null) throw unauthorized()
    return {
      user: null,
      organization: { ...organization, role: null },
      organizations: [],
      permissions: permissionsOf(call.caller.grants),
      apiKey: { id: key.id, name: key.name },
    }
  })

/** Rights of the role, including implied VIEW; for an API key its permissions. */
const permissionsOf = (grants: Grants): string[] =>
  grants.kind === 'key'
    ? [...grants.permissions]
    : rights.filter((right) => grantsMeet(grants, requirementOfRight(right)))

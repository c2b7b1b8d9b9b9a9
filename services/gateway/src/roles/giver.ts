/**
 * A change of rights: judged by what its giver holds in the database, not in a cache, and in force on
 * every replica before it is answered.
 */
import { type Outcome, unauthorized } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Call, Caller } from '@status-page/service'
import { keyById } from '../api-keys/store.ts'
import { announceRevoked, type Credentials, organizationMark } from '../auth/credentials.ts'
import type { Presence } from '../auth/presence.ts'
import { memberById } from '../members/store.ts'
import type { Giver } from './rules.ts'
import { lockRights, roleByReference } from './store.ts'

export interface Caches {
  credentials: Credentials
  presence: Presence
}

/** Nobody else's rights in the organization change from here to the commit. */
export const lockGiver = async (scope: Scope, { actor }: Pick<Caller, 'actor'>): Promise<Giver> => {
  await lockRights(scope)
  const { apiKeyId, userId } = actor
  if (apiKeyId !== null) {
    const key = await keyById(scope, apiKeyId)
    if (key === null || key.disabledAt !== null) throw unauthorized()
    const grants = { kind: 'key', permissions: key.permissions } as const
    return { grants, isOwner: false, userId: key.createdBy }
  }
  const member = userId === null ? null : await memberById(scope, userId)
  const role = member === null ? null : await roleByReference(scope, member.role)
  if (role === null) throw unauthorized()
  const grants = { kind: 'session', rights: role.rights } as const
  return { grants, isOwner: role.reference === 'OWNER', userId }
}

/** A change without an audit entry changed nothing: no cache needs to hear of it. */
export const changeRights = async <T>(
  call: Call,
  { credentials, presence }: Caches,
  work: (scope: Scope, giver: Giver) => Promise<Outcome<T>>,
): Promise<T> => {
  const mark = organizationMark(call.organizationId)
  const { result, isChanged } = await call.change(async (scope) => {
    const outcome = await work(scope, await lockGiver(scope, call.caller))
    const isChanged = outcome.audit.length > 0
    if (isChanged) await announceRevoked(scope, [mark])
    return { ...outcome, result: { result: outcome.result, isChanged } }
  })
  if (isChanged) {
    credentials.forget(mark)
    await presence.outlastCaches()
  }
  return result
}

/**
 * A change of rights: judged by what its giver holds in the database, not in a cache, and in force on
 * every replica before it is answered.
 */
import { type Outcome, unauthorized } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Call, Caller } from '@status-page/service'
import { keyById } from '../api-keys/store.ts'
import {
  announceRevoked,
  type Credentials,
  organizationRevocationKey,
} from '../auth/credentials.ts'
import type { ReplicaRegistry } from '../auth/replica-registry.ts'
import { memberById } from '../members/store.ts'
import type { Grantor } from './rules.ts'
import { lockRights, roleByReference } from './store.ts'

export interface CredentialCaches {
  credentials: Credentials
  replicas: ReplicaRegistry
}

/** Nobody else's rights in the organization change from here to the commit. */
export const lockGrantor = async (
  scope: Scope,
  { actor }: Pick<Caller, 'actor'>,
): Promise<Grantor> => {
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
  { credentials, replicas }: CredentialCaches,
  work: (scope: Scope, grantor: Grantor) => Promise<Outcome<T>>,
): Promise<T> => {
  const revocationKey = organizationRevocationKey(call.organizationId)
  const { result, isChanged } = await call.change(async (scope) => {
    const outcome = await work(scope, await lockGrantor(scope, call.caller))
    const isChanged = outcome.audit.length > 0
    if (isChanged) await announceRevoked(scope, [revocationKey])
    return { ...outcome, result: { result: outcome.result, isChanged } }
  })
  if (isChanged) {
    credentials.forget(revocationKey)
    await replicas.waitForCacheExpiry()
  }
  return result
}

/**
 * Authorization of grants: rights are read from the database, not from a cache, and a change is
 * effective on every replica when the response is sent.
 */
import { type TransactionOutcome, unauthorized } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { Call, Caller } from '@status-page/service'
import { keyById } from '../../identity/api-keys/store.ts'
import {
  type Credentials,
  organizationRevocationKey,
  publishRevocations,
} from '../../identity/sessions/credentials.ts'
import type { ReplicaRegistry } from '../../identity/sessions/replica-registry.ts'
import { memberById } from './member-store.ts'
import { lockRights, roleByReference } from './role-store.ts'
import type { Grantor } from './rules.ts'

export interface CredentialCaches {
  credentials: Credentials
  replicas: ReplicaRegistry
}

/** Locks the rights of the organization until the commit and returns those of the caller. */
export const lockGrantor = async (
  scope: Scope,
  caller: Pick<Caller, 'actor'>,
): Promise<Grantor> => {
  await lockRights(scope)
  return grantorOf(scope, caller)
}

/** Returns the rights of the caller, which a concurrent change may withdraw. */
export const grantorOf = async (
  scope: Scope,
  { actor }: Pick<Caller, 'actor'>,
): Promise<Grantor> => {
  const { apiKeyId, userId } = actor
  if (apiKeyId !== null) {
    const key = await keyById(scope, apiKeyId)
    if (key === undefined || key.disabledAt !== null) throw unauthorized()
    const grants = { kind: 'key', permissions: key.permissions } as const
    return { grants, isOwner: false, userId: key.createdBy }
  }
  const member = userId === null ? null : await memberById(scope, userId)
  const role = member === null ? null : await roleByReference(scope, member.role)
  if (role === null) throw unauthorized()
  const grants = { kind: 'session', rights: role.rights } as const
  return { grants, isOwner: role.reference === 'OWNER', userId }
}

/**
 * Runs a change of rights and invalidates cached credentials. An outcome without an audit entry
 * changed nothing, so no cache is invalidated.
 */
export const changeRights = async <T>(
  call: Call,
  { credentials, replicas }: CredentialCaches,
  work: (scope: Scope, grantor: Grantor) => Promise<TransactionOutcome<T>>,
): Promise<T> => {
  const revocationKey = organizationRevocationKey(call.organizationId)
  const { result, isChanged } = await call.change(async (scope) => {
    const outcome = await work(scope, await lockGrantor(scope, call.caller))
    const isChanged = outcome.audit !== undefined && outcome.audit.length > 0
    if (isChanged) await publishRevocations(scope, [revocationKey])
    return { ...outcome, result: { result: outcome.result, isChanged } }
  })
  if (isChanged) {
    credentials.invalidate(revocationKey)
    await replicas.waitForCacheExpiry()
  }
  return result
}

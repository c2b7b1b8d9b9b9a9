/**
 * Callers for tests, and the keys that sign for them: one set per process, shared by app and test.
 */
import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import {
  type Permission,
  type RoleName,
  rightsOfRole,
  type ServiceName,
  services,
} from '@status-page/contracts'
import { newId } from '@status-page/postgres'
import {
  type Caller,
  type CallerSigner,
  type CallerVerifier,
  callerSigner,
  callerVerifier,
} from '@status-page/service'

export interface TestCallerOptions {
  organizationId?: string
  /** Permissions of an API key. */
  permissions?: readonly Permission[]
  /** Role of a session; OWNER by default. */
  role?: RoleName
}

/** Creates a caller; without an `organizationId` it is alone in a new organization. */
export const testCaller = (
  options: TestCallerOptions = {},
): Caller & { organizationId: string } => {
  const { organizationId = newId(), permissions, role = 'OWNER' } = options
  if (permissions !== undefined) {
    return {
      organizationId,
      actor: { type: 'api_key', userId: null, apiKeyId: newId() },
      grants: { kind: 'key', permissions },
    }
  }
  return {
    organizationId,
    actor: { type: 'user', userId: newId(), apiKeyId: null },
    grants: { kind: 'session', rights: rightsOfRole(role) },
  }
}

export interface TestKeys {
  signer(issuer: ServiceName): CallerSigner
  /** Accepts the tokens of every signer. */
  verifier(audience: ServiceName): CallerVerifier
}

let keys: TestKeys | null = null

export const testKeys = (): TestKeys => {
  keys ??= makeKeys()
  return keys
}

const makeKeys = (): TestKeys => {
  const pairs = services.map((service) => [service, generateKeyPairSync('ed25519')] as const)
  const publicKeys: Partial<Record<ServiceName, KeyObject>> = Object.fromEntries(
    pairs.map(([service, { publicKey }]) => [service, publicKey]),
  )
  const signers = new Map(
    pairs.map(([issuer, { privateKey }]) => [issuer, callerSigner({ issuer, privateKey })]),
  )
  return {
    signer(issuer) {
      const signer = signers.get(issuer)
      if (signer === undefined) throw new Error(`No key for ${issuer}`)
      return signer
    },
    verifier: (audience) => callerVerifier({ audience, publicKeys }),
  }
}

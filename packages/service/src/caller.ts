/**
 * Caller token: identifies the caller, signed by the issuing service for one audience and one
 * minute. A receiver verifies each token once and caches the result until the token expires.
 */

import { createPrivateKey, createPublicKey, type KeyObject, sign, verify } from 'node:crypto'
import { type Static, Type } from '@sinclair/typebox'
import { type ServiceName, services } from '@status-page/contracts'
import { LRUCache } from 'lru-cache'
import type { Caller } from './call.ts'
import { entryLimit } from './entry-limit.ts'
import { compileValidator } from './validate.ts'

export const CALLER_HEADER = 'x-caller'
export const ADDRESS_HEADER = 'x-internal-address'
export const AGENT_HEADER = 'x-internal-user-agent'

const LIFETIME_MS = 60_000
/**
 * Time for which a token is reused; the rest of its lifetime covers latency and clock differences.
 */
const REUSE_MS = 45_000
const MAX_CACHED = 10_000
const MAX_TOKEN_LENGTH = 8_192

export type TimeSource = () => number

export interface CallerSigner {
  sign(caller: Caller, audience: ServiceName): string
}

export interface VerifiedCaller {
  caller: Caller
  issuer: ServiceName
}

export interface CallerVerifier {
  /** Returns null for a token that is not valid now for this audience. */
  verify(token: string): VerifiedCaller | null
}

export const callerSigner = (options: {
  issuer: ServiceName
  /** PKCS#8 key: base64 of the DER form, or a key object. */
  privateKey: string | KeyObject
  now?: TimeSource
}): CallerSigner => {
  const { issuer, now = Date.now } = options
  const key = asPrivateKey(options.privateKey)
  /** By serialised caller, one cache per audience: a joined key would be hashed at each request. */
  const caches = new Map(services.map((audience) => [audience, createTokenCache()]))
  /**
   * Serialised callers, cached because a caller object is reused for many requests and can be
   * large.
   */
  const texts = new WeakMap<Caller, string>()
  const textOf = (caller: Caller): string => {
    const { organizationId, actor, grants } = caller
    const text = texts.get(caller) ?? JSON.stringify({ organizationId, actor, grants })
    texts.set(caller, text)
    return text
  }
  return {
    sign(caller, audience) {
      const text = textOf(caller)
      const cache = caches.get(audience)
      const cached = cache?.get(text)
      if (cached !== undefined && cached.reusableUntil > now()) return cached.token
      const expiresAt = now() + LIFETIME_MS
      const claims = { issuer, audience, expiresAt, caller: JSON.parse(text) }
      const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
      const token = `${payload}.${sign(null, Buffer.from(payload), key).toString('base64url')}`
      cache?.set(text, { token, reusableUntil: now() + REUSE_MS })
      return token
    },
  }
}

const createTokenCache = () =>
  new LRUCache<string, { token: string; reusableUntil: number }>(entryLimit(MAX_CACHED))

type PublicKey = string | KeyObject

export const callerVerifier = (options: {
  audience: ServiceName
  /**
   * SPKI key per issuer: base64 of the DER form, or a key object. Several during a rotation: a token
   * that one of them verifies is valid.
   */
  publicKeys: Partial<Record<ServiceName, PublicKey | readonly PublicKey[]>>
  now?: TimeSource
}): CallerVerifier => {
  const { audience, now = Date.now } = options
  const keys = new Map(
    Object.entries(options.publicKeys).map(([issuer, keys]) => [
      issuer,
      [keys].flat().map(asPublicKey),
    ]),
  )
  const cache = new LRUCache<string, Claims>(entryLimit(MAX_CACHED))

  const open = (token: string): Claims | null => {
    if (token.length > MAX_TOKEN_LENGTH) return null
    const [payload, signature, ...rest] = token.split('.')
    if (payload === undefined || signature === undefined || rest.length > 0) return null
    const claims = claimsOf(payload)
    if (claims === null || claims.audience !== audience) return null
    const signed = Buffer.from(payload)
    const signatureBytes = Buffer.from(signature, 'base64url')
    const candidates = keys.get(claims.issuer) ?? []
    return candidates.some((key) => verify(null, signed, key, signatureBytes)) ? claims : null
  }

  return {
    verify(token) {
      const known = cache.get(token)
      const claims = known ?? open(token)
      if (claims === null || claims.expiresAt <= now()) {
        cache.delete(token)
        return null
      }
      if (known === undefined) cache.set(token, claims)
      return claims
    },
  }
}

const Name = Type.Union(services.map((name) => Type.Literal(name)))
const Ids = Type.Union([Type.String({ minLength: 1 }), Type.Null()])
const Texts = Type.Array(Type.String())
const Claims = Type.Object({
  issuer: Type.Unsafe<ServiceName>(Name),
  audience: Type.Unsafe<ServiceName>(Name),
  expiresAt: Type.Integer(),
  caller: Type.Object({
    organizationId: Ids,
    actor: Type.Object({
      type: Type.Unsafe<Caller['actor']['type']>(
        Type.String({ enum: ['user', 'api_key', 'config_sync', 'system'] }),
      ),
      userId: Ids,
      apiKeyId: Ids,
    }),
    grants: Type.Union([
      Type.Object({ kind: Type.Literal('session'), rights: Texts }),
      Type.Object({ kind: Type.Literal('key'), permissions: Texts }),
      Type.Object({ kind: Type.Literal('service') }),
      Type.Object({ kind: Type.Literal('anonymous') }),
    ]),
  }),
})
type Claims = Static<typeof Claims>

const validateClaims = compileValidator(Claims, 'token')

const claimsOf = (payload: string): Claims | null => {
  try {
    const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString())
    return validateClaims(claims).length === 0 ? (claims as Claims) : null
  } catch {
    return null
  }
}

const asPrivateKey = (key: string | KeyObject): KeyObject =>
  typeof key === 'string'
    ? createPrivateKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'pkcs8' })
    : key

const asPublicKey = (key: PublicKey): KeyObject =>
  typeof key === 'string'
    ? createPublicKey({ key: Buffer.from(key, 'base64'), format: 'der', type: 'spki' })
    : key

/** Caller as its credential identifies it, and the caller without one. */
import { anonymousCaller, type Caller } from '@status-page/service'
import type { CredentialKind } from './cross-site.ts'

export interface IdentifiedCaller {
  kind: CredentialKind
  caller: Caller
  /** Key of the caller's rate buckets; null for anonymous callers. */
  rateKey: string | null
  /** True for a session that may only enrol a second factor. */
  needsEnrolment: boolean
  /** Hash of the key or of the session's token; null for anonymous callers. */
  tokenHash: string | null
  /** Hash of the session's token; null for keys and anonymous callers. */
  sessionHash: string | null
  /** Time at which the credential expires without further use; null: never. */
  expiresAt: Date | null
  /** Hash of a session token that the response has to replace; null when there is none. */
  toRenew: string | null
}

export const unidentifiedCaller: IdentifiedCaller = Object.freeze({
  kind: 'none',
  caller: anonymousCaller,
  rateKey: null,
  needsEnrolment: false,
  tokenHash: null,
  sessionHash: null,
  expiresAt: null,
  toRenew: null,
})

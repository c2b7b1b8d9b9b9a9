/**
 * Verification of the credentials of open streams: after a revocation by any replica, at the expiry
 * of the credential, and once a minute. Until the result is known, the streams of the credential
 * send nothing.
 */
import { Semaphore } from '@status-page/concurrency'
import type { Grants } from '@status-page/contracts'
import { type Credentials, organizationRevocationKey } from '../identity/sessions/credentials.ts'
import type { IdentifiedCaller } from '../identity/sessions/identified-caller.ts'

/** Concurrent lookups, of the ten connections of the process. */
const MAX_LOOKUPS = 4
/** Interval that bounds the effect of a notification that was lost. */
const REVERIFY_MS = 60_000

/** Credential of one or more streams. */
export interface WatchedCredential {
  readonly organizationId: string
  readonly isVerified: boolean
  /** Resolves with the present grants; null when the credential is not valid any more. */
  grants(): Promise<Grants | null>
  watch(watcher: CredentialWatcher): void
  unwatch(watcher: CredentialWatcher): void
}

export interface CredentialWatcher {
  onGrants(grants: Grants): void
  onRevoked(): void
}

export interface PresentedStreamCredential {
  tokenHash: string
  organizationId: string
  /** Headers that present the credential, as alternating names and values. */
  rawHeaders: readonly string[]
}

interface CredentialWatchDeps {
  credentials: Pick<Credentials, 'identify'>
}

export class CredentialWatch {
  readonly #deps: CredentialWatchDeps
  readonly #lookups = new Semaphore({ slots: MAX_LOOKUPS })
  readonly #watched = new Map<string, Watched>()

  constructor(deps: CredentialWatchDeps) {
    this.#deps = deps
  }

  /** Credential with a verification in progress or done; its first watcher must follow at once. */
  credentialOf(presented: PresentedStreamCredential): WatchedCredential {
    const key = `${presented.organizationId} ${presented.tokenHash}`
    const known = this.#watched.get(key)
    if (known !== undefined) return known
    const watched = new Watched(presented, {
      identify: () =>
        this.#lookups.run(() => this.#deps.credentials.identify(presented.rawHeaders)),
      onUnused: () => this.#watched.delete(key),
    })
    this.#watched.set(key, watched)
    watched.verify()
    return watched
  }

  /** Verifies what the key of a revocation concerns; null: any credential. */
  onRevoked(revocationKey: string | null): void {
    for (const watched of this.#watched.values()) {
      if (watched.isConcernedBy(revocationKey)) watched.verify()
    }
  }

  /** Verifies credentials that have expired, or whose last verification failed or is old. */
  verifyDue(): void {
    for (const watched of this.#watched.values()) if (watched.isDue()) watched.verify()
  }
}

interface WatchedDeps {
  identify(): Promise<IdentifiedCaller>
  onUnused(): void
}

class Watched implements WatchedCredential {
  readonly organizationId: string
  isVerified = false
  readonly #tokenHash: string
  readonly #deps: WatchedDeps
  readonly #watchers = new Set<CredentialWatcher>()
  #verification: Promise<Grants | null> | null = null
  #verifiedAtMs = 0
  #expiresAtMs = Number.POSITIVE_INFINITY
  #grants: Grants | null = null

  constructor({ organizationId, tokenHash }: PresentedStreamCredential, deps: WatchedDeps) {
    this.organizationId = organizationId
    this.#tokenHash = tokenHash
    this.#deps = deps
  }

  isConcernedBy(revocationKey: string | null): boolean {
    return (
      revocationKey === null ||
      revocationKey === this.#tokenHash ||
      revocationKey === organizationRevocationKey(this.organizationId)
    )
  }

  isDue(): boolean {
    if (this.#verification !== null) return false
    const now = Date.now()
    return !this.isVerified || now >= this.#expiresAtMs || now - this.#verifiedAtMs >= REVERIFY_MS
  }

  async grants(): Promise<Grants | null> {
    for (let last = this.#verification; last !== null; last = this.#verification) await last
    return this.#grants
  }

  watch(watcher: CredentialWatcher) {
    this.#watchers.add(watcher)
  }

  unwatch(watcher: CredentialWatcher) {
    this.#watchers.delete(watcher)
    if (this.#watchers.size === 0) this.#deps.onUnused()
  }

  /** Starts a verification; it replaces one in progress, which may have read an earlier state. */
  verify() {
    this.isVerified = false
    const verification = this.#identify()
    this.#verification = verification
    const settle = (apply: () => void) => {
      if (this.#verification !== verification) return
      this.#verification = null
      apply()
    }
    verification.then(
      (grants) => settle(() => this.#apply(grants)),
      // Verified again by `verifyDue`; until then nothing is sent.
      () => settle(() => {}),
    )
  }

  async #identify(): Promise<Grants | null> {
    const { kind, caller, needsEnrolment, expiresAt } = await this.#deps.identify()
    this.#expiresAtMs = expiresAt?.getTime() ?? Number.POSITIVE_INFINITY
    const isValid =
      kind !== 'none' && !needsEnrolment && caller.organizationId === this.organizationId
    return isValid ? caller.grants : null
  }

  #apply(grants: Grants | null) {
    this.#grants = grants
    this.isVerified = grants !== null
    this.#verifiedAtMs = Date.now()
    for (const watcher of this.#watchers) {
      if (grants === null) watcher.onRevoked()
      else watcher.onGrants(grants)
    }
  }
}

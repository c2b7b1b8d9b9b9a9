/** Signed-in visitors: admission to the pages of an account, and their calls of other services. */
import { unavailable } from '@status-page/contracts'
import { asLookup } from '@status-page/postgres'
import type { Call, Client, RawReply } from '@status-page/service'
import { sessionByHash } from '../identity/sessions/session-store.ts'
import { presentedTokenHash } from '../identity/sessions/sessions.ts'
import type { AccountPageDeps } from './deps.ts'
import { redirectBelow } from './document.ts'
import { pathWithNext, TWO_FACTOR_PATH, visitorOf } from './visitor.ts'

/**
 * Redirects a visitor without a session to the login, and one without a required second factor to
 * its set-up; null for all others.
 */
export const redirectUnauthenticated = async (
  deps: AccountPageDeps,
  call: Call,
  path: string,
): Promise<RawReply | null> => {
  if (!visitorOf(deps, call).isSignedIn) {
    return redirectBelow(deps.baseUrl, pathWithNext('/sign-in', path))
  }
  return (await needsEnrolment(deps, call)) ? redirectBelow(deps.baseUrl, TWO_FACTOR_PATH) : null
}

/** Returns whether the organization requires a second factor that the user does not have. */
export const needsEnrolment = async (
  { account }: AccountPageDeps,
  call: Call,
): Promise<boolean> => {
  const tokenHash = presentedTokenHash(call, account)
  if (tokenHash === null) return false
  const session = await asLookup(account.database, (scope) => sessionByHash(scope, tokenHash))
  return session?.needsEnrolment ?? false
}

const CORE_TIMEOUT_MS = 5_000

/** Caller and origin of the request, for operations of core on behalf of the user. */
export const asUser = ({ caller, actor, requestId }: Call) => ({
  caller,
  requestId,
  ipAddress: actor.ipAddress,
  userAgent: actor.userAgent,
  timeoutMs: CORE_TIMEOUT_MS,
})

export const requireCore = ({ core }: AccountPageDeps): Client => {
  if (core === null) throw unavailable('core is not available')
  return core
}

/**
 * Protection against cross-site requests: a page of another site cannot act with the session
 * cookie.
 */

export interface RequestSite {
  /** `Sec-Fetch-Site` header; every current browser sends it and no page can forge it. */
  fetchSite: string | undefined
  origin: string | undefined
}

/** Returns true for requests of this site's pages and of clients that are not browsers. */
export const isSameSite = ({ fetchSite, origin }: RequestSite, ownOrigin: string): boolean => {
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none'
  return origin === undefined || origin === ownOrigin
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Operations that need no credential but replace or end the browser's session. */
const alwaysChecked: ReadonlySet<string> = new Set([
  'auth.register',
  'auth.login',
  'auth.logout',
  'invitations.accept',
])

export type CredentialKind = 'key' | 'session' | 'none'

/** Returns whether the operation is restricted to same-site requests. */
export const needsSameSite = (
  operationId: string,
  method: string,
  credential: CredentialKind,
): boolean =>
  alwaysChecked.has(operationId) || (credential === 'session' && !safeMethods.has(method))

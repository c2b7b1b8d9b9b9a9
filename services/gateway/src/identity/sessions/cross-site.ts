/**
 * Protection against cross-site requests: a page of another site cannot act with the session
 * cookie.
 */
import { isAccountPage, type Operation } from '@status-page/contracts'

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
  { id, method }: Pick<Operation, 'id' | 'method'>,
  credential: CredentialKind,
): boolean => {
  if (alwaysChecked.has(id)) return true
  return !safeMethods.has(method) && (credential === 'session' || isAccountPage({ id }))
}

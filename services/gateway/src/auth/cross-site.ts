/** Cross-site requests: a browser of another site never acts with our cookie. */

export interface RequestSite {
  /** `Sec-Fetch-Site`; every current browser sends it and no page can forge it. */
  fetchSite: string | undefined
  origin: string | undefined
}

/** Whether the request may act: from our own pages, or from what is no browser. */
export const isSameSite = ({ fetchSite, origin }: RequestSite, ownOrigin: string): boolean => {
  if (fetchSite !== undefined) return fetchSite === 'same-origin' || fetchSite === 'none'
  return origin === undefined || origin === ownOrigin
}

const safeMethods: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Reached without a credential of ours, yet they change whose session the browser carries. */
const alwaysChecked: ReadonlySet<string> = new Set([
  'auth.register',
  'auth.login',
  'auth.logout',
  'invitations.accept',
])

export type CredentialKind = 'key' | 'session' | 'none'

/** Whether the operation has to be asked from our own site. */
export const needsSameSite = (
  operationId: string,
  method: string,
  credential: CredentialKind,
): boolean =>
  alwaysChecked.has(operationId) || (credential === 'session' && !safeMethods.has(method))

/** Access rules of a published page. Pure; a refusal is either a password prompt or a 404. */
import type { Visibility } from '@status-page/contracts'
import { isInNetworks } from '@status-page/outbound'
import type { PageForAccessCheck } from '../settings/store.ts'

/** `hidden`: the response is the one for an unknown page. */
export type PageAdmission = 'admitted' | 'password' | 'hidden'

export interface Visitor {
  /** Organization of the visitor's session; null for API keys. */
  memberOf: string | null
  address: string | null
  /** True when the visitor's cookie proves the current password of the page. */
  hasProvenPassword(page: PageForAccessCheck): boolean
}

export const decideAdmission = (page: PageForAccessCheck, visitor: Visitor): PageAdmission =>
  rules[page.visibility](page, visitor)

const rules: Record<Visibility, (page: PageForAccessCheck, visitor: Visitor) => PageAdmission> = {
  public: () => 'admitted',
  password: (page, { hasProvenPassword }) => (hasProvenPassword(page) ? 'admitted' : 'password'),
  ip_allowlist: ({ allowedIpRanges }, { address }) =>
    address !== null && isInNetworks(address, allowedIpRanges) ? 'admitted' : 'hidden',
  members: ({ organizationId }, { memberOf }) =>
    memberOf === organizationId ? 'admitted' : 'hidden',
}

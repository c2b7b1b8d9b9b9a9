/** Who may see a published page. Pure; a refusal is either a question for the password or nothing at all. */
import type { Visibility } from '@status-page/contracts'
import { isInNetworks } from '@status-page/outbound'
import type { GatedPage } from '../status-pages/store.ts'

/** `hidden`: for this visitor the page does not exist. */
export type PageAdmission = 'admitted' | 'password' | 'hidden'

export interface Visitor {
  /** The organization of their session; a key is none. */
  memberOf: string | null
  address: string | null
  /** Whether they have shown the page's present password. */
  hasShownPassword(page: GatedPage): boolean
}

export const admission = (page: GatedPage, visitor: Visitor): PageAdmission =>
  rules[page.visibility](page, visitor)

const rules: Record<Visibility, (page: GatedPage, visitor: Visitor) => PageAdmission> = {
  public: () => 'admitted',
  password: (page, { hasShownPassword }) => (hasShownPassword(page) ? 'admitted' : 'password'),
  ip_allowlist: ({ allowedIpRanges }, { address }) =>
    address !== null && isInNetworks(address, allowedIpRanges) ? 'admitted' : 'hidden',
  members: ({ organizationId }, { memberOf }) =>
    memberOf === organizationId ? 'admitted' : 'hidden',
}

/** Who a first login makes a member: an address of a domain that the organization has proved. */
import type { AuditDraft } from '@status-page/contracts'

export interface FirstLogin {
  organizationId: string
  /** Whether the organization proved the domain of the address. */
  isProved: boolean
  allowedEmailDomains: readonly string[]
  domain: string
  /** Where the account of the address belongs; null where there is no account. */
  organizationIds: readonly string[] | null
  /** Whether the account has proved its address; false where there is no account. */
  isVerified: boolean
}

export type SamlAdmission =
  /** An account and a membership. */
  | 'new_account'
  /** A membership for an account that belongs nowhere. */
  | 'new_member'
  /** As `new_account`; an account of the same address that never verified it gives it up. */
  | 'claimed_address'
  /** A member already, seen through the provider for the first time. */
  | 'known_member'

export type AdmissionRefusal = 'domain_not_proved' | 'domain_not_allowed' | 'foreign_account'

export const admit = (
  login: FirstLogin,
): { ok: true; admission: SamlAdmission } | { ok: false; reason: AdmissionRefusal } => {
  const { organizationIds, allowedEmailDomains: allowed } = login
  if (!login.isProved) return { ok: false, reason: 'domain_not_proved' }
  if (organizationIds?.includes(login.organizationId))
    return { ok: true, admission: 'known_member' }
  // An account of another organization's is entered by its own door and comes here by invitation.
  const isElsewhere = organizationIds !== null && organizationIds.length > 0
  if (isElsewhere && login.isVerified) return { ok: false, reason: 'foreign_account' }
  if (allowed.length > 0 && !allowed.includes(login.domain)) {
    return { ok: false, reason: 'domain_not_allowed' }
  }
  if (isElsewhere) return { ok: true, admission: 'claimed_address' }
  return { ok: true, admission: organizationIds === null ? 'new_account' : 'new_member' }
}

/** Whoever set the provider can be everybody whom it names, so it names an OWNER only for an OWNER. */
export const mayAssert = (provider: { setByOwner: boolean }, role: string): boolean =>
  role !== 'OWNER' || provider.setByOwner

export const ssoLogin = (user: { id: string; email: string }): AuditDraft => ({
  action: 'auth.sso_login',
  entityType: 'user',
  entityId: user.id,
  entityName: user.email,
  changes: {},
})

export const ssoFailed = (idpEntityId: string, reason: string): AuditDraft => ({
  action: 'auth.sso_failed',
  entityType: 'saml',
  entityId: idpEntityId,
  entityName: null,
  changes: { reason: { to: reason } },
})

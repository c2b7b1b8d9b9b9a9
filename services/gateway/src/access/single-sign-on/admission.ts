/**
 * Admission of first logins: an address of a domain that the organization has verified becomes a
 * member.
 */
import type { AuditDraft } from '@status-page/contracts'

export interface FirstLogin {
  organizationId: string
  /** True when the organization has verified the domain of the address. */
  isDomainVerified: boolean
  allowedEmailDomains: readonly string[]
  domain: string
  /** Organization ids of the account that has the address; null when no account has it. */
  organizationIds: readonly string[] | null
  /** True when the account has verified its address; false without an account. */
  isVerified: boolean
}

export type SamlAdmission =
  /** Creates an account and a membership. */
  | 'new_account'
  /** Creates a membership for an account without any. */
  | 'new_member'
  /** Like `new_account`; another account with the same, unverified address loses it. */
  | 'claimed_address'
  /** Links the provider's identity to an existing member. */
  | 'known_member'

export type AdmissionRefusal = 'domain_not_proved' | 'domain_not_allowed' | 'foreign_account'

export const admitSamlLogin = (
  login: FirstLogin,
): { ok: true; admission: SamlAdmission } | { ok: false; reason: AdmissionRefusal } => {
  const { organizationIds, allowedEmailDomains: allowed } = login
  if (!login.isDomainVerified) return { ok: false, reason: 'domain_not_proved' }
  if (organizationIds?.includes(login.organizationId))
    return { ok: true, admission: 'known_member' }
  // A verified account of another organization logs in there and joins by invitation.
  const isElsewhere = organizationIds !== null && organizationIds.length > 0
  if (isElsewhere && login.isVerified) return { ok: false, reason: 'foreign_account' }
  if (allowed.length > 0 && !allowed.includes(login.domain)) {
    return { ok: false, reason: 'domain_not_allowed' }
  }
  if (isElsewhere) return { ok: true, admission: 'claimed_address' }
  return { ok: true, admission: organizationIds === null ? 'new_account' : 'new_member' }
}

/**
 * Returns whether the provider may authenticate a member with the role. The user who configured a
 * provider can impersonate all its users, so only a provider configured by an OWNER may
 * authenticate an OWNER.
 */
export const mayAuthenticateRole = (provider: { setByOwner: boolean }, role: string): boolean =>
  role !== 'OWNER' || provider.setByOwner

export const ssoFailureAudit = (idpEntityId: string, reason: string): AuditDraft => ({
  action: 'auth.sso_failed',
  entityType: 'saml',
  entityId: idpEntityId,
  entityName: null,
  changes: { reason: { to: reason } },
})

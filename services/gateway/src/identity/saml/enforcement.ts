/**
 * Enforcement of single sign-on: organizations that still admit a password, and the warning when
 * one is used.
 */
import type { AuditDraft, EventDraft } from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { warnOwners } from '../users/owner-warnings.ts'
import { admitsPasswordLogin } from '../users/rules.ts'

interface PasswordPolicy {
  organizationId: string
  role: string
  ssoEnforced: boolean
}

/**
 * Returns the first membership whose organization admits a password; null when all enforce single
 * sign-on.
 */
export const firstMembershipAdmittingPassword = <Policy extends PasswordPolicy>(
  memberships: readonly Policy[],
  { twoFactorEnabled: hasTwoFactor }: { twoFactorEnabled: boolean },
): Policy | null =>
  memberships.find(({ ssoEnforced, role }) =>
    admitsPasswordLogin({ ssoEnforced, role, hasTwoFactor }),
  ) ?? null

/**
 * Audit change and mails to all owners for a password login of an OWNER that bypasses the provider.
 */
export const recordEmergencyLogin = async (
  scope: Scope | SystemScope,
  { organizationId, ssoEnforced }: Omit<PasswordPolicy, 'role'>,
  { ipAddress }: { ipAddress: string | null },
): Promise<{ events: EventDraft[]; changes: AuditDraft['changes'] }> => {
  if (!ssoEnforced) return { events: [], changes: {} }
  const warning = 'emergency_login' as const
  const events = await warnOwners(scope, {
    organizationId,
    warning,
    ipAddress,
    exceptUserId: null,
  })
  return { events, changes: { emergency: { to: true } } }
}

/** Where single sign-on is enforced: which door a password opens still, and who is told when it does. */
import type { AuditDraft, EventDraft } from '@status-page/contracts'
import type { Scope, SystemScope } from '@status-page/postgres'
import { warnOwners } from '../organization/owner-warnings.ts'
import { admitsPassword } from '../organization/rules.ts'

interface PasswordPolicy {
  organizationId: string
  role: string
  ssoEnforced: boolean
}

/** The first organization that a password leads to; null where all of them ask for their provider. */
export const firstAdmittingPassword = <Policy extends PasswordPolicy>(
  memberships: readonly Policy[],
  { twoFactorEnabled: hasTwoFactor }: { twoFactorEnabled: boolean },
): Policy | null =>
  memberships.find(({ ssoEnforced, role }) =>
    admitsPassword({ ssoEnforced, role, hasTwoFactor }),
  ) ?? null

/** An OWNER past the provider: said in the log, and mailed to everybody who owns the organization. */
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

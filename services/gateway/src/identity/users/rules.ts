/** Rules of accounts: passwords, slugs, and the outcomes of registration and login. */
import {
  type AuditDraft,
  draftAudit,
  draftEvent,
  type FieldChange,
  type Identity,
  invalid,
  type Outcome,
  organizationCreated,
  slugFrom,
} from '@status-page/contracts'
import { memberAddedEvent } from './membership-rules.ts'

export interface PasswordInput {
  email: string
  password: string
  /** True for a password on the list of common ones; false when the check is off. */
  isCommon: boolean
}

/** Checks the content of a password; the contract validates form and length. */
export const validatePassword = (
  { email, password, isCommon }: PasswordInput,
  field = 'password',
): void => {
  if (password.toLowerCase() === email.toLowerCase()) {
    throw invalid({ field, message: `${field} must not be the e-mail address` })
  }
  if (isCommon) throw invalid({ field, message: `${field} is too common` })
}

/**
 * Returns whether the organization admits the member's password. With enforced single sign-on, only
 * an OWNER with a second factor may log in by password, for emergencies.
 */
export const admitsPasswordLogin = (member: {
  ssoEnforced: boolean
  role: string
  hasTwoFactor: boolean
}): boolean => !member.ssoEnforced || (member.role === 'OWNER' && member.hasTwoFactor)

const MAX_SLUG_BASE = 40
/** Slug for names without an ASCII letter or digit. */
const FALLBACK_SLUG = 'organization'

/** Slug of a name of an organization, with space for a suffix. */
export const organizationSlugFrom = (name: string): string =>
  slugFrom(name, MAX_SLUG_BASE) || FALLBACK_SLUG

export const identityReplyOf = (
  user: Identity['user'],
  organization: { id: string; name: string; slug: string },
  role: string,
): Identity => ({
  user: {
    id: user.id,
    email: user.email,
    name: user.name,
    twoFactorEnabled: user.twoFactorEnabled,
  },
  organization: { id: organization.id, name: organization.name, slug: organization.slug, role },
})

/** Outcome of a registration; the first member is OWNER. */
export const registrationOutcome = (
  identity: Identity,
  membershipId: string,
): Outcome<Identity> => {
  const { user, organization } = identity
  const { id, name, slug, role } = organization
  return {
    result: identity,
    events: [
      draftEvent(organizationCreated, { id, version: 1 }, { organization: { id, name, slug } }),
      memberAddedEvent({ membershipId, userId: user.id, email: user.email, name: user.name, role }),
    ],
    audit: [accountAudit('auth.register', user)],
  }
}

export type AccountAction =
  | 'auth.register'
  | 'auth.login'
  | 'auth.login_failed'
  | 'auth.logout'
  | 'auth.password_change'
  | 'auth.password_reset'
  | 'auth.account_update'
  | 'auth.email_verify'
  | 'auth.email_test'
  | 'auth.sso_login'
  | 'auth.2fa_enable'
  | 'auth.2fa_disable'
  | 'auth.backup_codes'

export const accountAudit = (
  action: AccountAction,
  { id, email }: { id: string; email: string },
  changes: Record<string, FieldChange> = {},
): AuditDraft => ({ ...draftAudit(action, { id, name: email }, changes), entityType: 'user' })

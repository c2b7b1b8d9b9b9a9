/**
 * Rules of API keys: a caller grants only permissions that they hold, and an expiry is in the
 * future.
 */
import {
  type ApiKey,
  type AuditDraft,
  draftAudit,
  invalid,
  type NewApiKey,
  type Permission,
  ruleIssue,
} from '@status-page/contracts'
import { type Grantor, rightsOfPermission, validateRights } from '../rights/rules.ts'

export const validateGrant = (
  grantor: Pick<Grantor, 'grants'>,
  permissions: readonly Permission[],
): void => validateRights(grantor, permissions.flatMap(rightsOfPermission))

export const validateExpiry = (expiresAt: string | null | undefined, now: Date): Date | null => {
  if (expiresAt === null || expiresAt === undefined) return null
  const at = new Date(expiresAt)
  if (at > now) return at
  throw invalid(ruleIssue('expiresAt', 'future'))
}

type KeyAction = 'api_key.create' | 'api_key.delete'

export const apiKeyAuditEntry = (
  action: KeyAction,
  key: Pick<ApiKey, 'id' | 'name'>,
  granted?: Pick<NewApiKey, 'permissions' | 'expiresAt'>,
): AuditDraft =>
  draftAudit(
    action,
    key,
    granted && {
      name: { to: key.name },
      permissions: { to: granted.permissions },
      expiresAt: { to: granted.expiresAt ?? null },
    },
  )

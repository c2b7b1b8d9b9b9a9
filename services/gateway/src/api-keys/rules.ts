/** API keys: nobody grants what they lack, and a key ends in the future or not at all. */
import {
  type Action,
  type ApiKey,
  type AuditDraft,
  type Grants,
  holds,
  invalid,
  missingPermission,
  type NewApiKey,
  type Permission,
  requirementOf,
} from '@status-page/contracts'

/** A key's `write` is three actions of a role; whoever grants it holds all of them. */
const actionsBehind = (permission: Permission): readonly Action[] =>
  permission.endsWith(':write') ? ['CREATE', 'UPDATE', 'DELETE'] : ['VIEW']

export const judgeGrant = (grants: Grants, asked: readonly Permission[]): void => {
  for (const permission of asked) {
    for (const action of actionsBehind(permission)) {
      const needed = requirementOf(permission, 'POST', action)
      if (!holds(grants, needed)) throw missingPermission(needed)
    }
  }
}

export const judgeExpiry = (expiresAt: string | null | undefined, now: Date): Date | null => {
  if (expiresAt === null || expiresAt === undefined) return null
  const at = new Date(expiresAt)
  if (at > now) return at
  throw invalid({ field: 'expiresAt', message: 'expiresAt must be in the future' })
}

type KeyAction = 'api_key.create' | 'api_key.delete'

export const aboutKey = (
  action: KeyAction,
  key: Pick<ApiKey, 'id' | 'name'>,
  granted?: Pick<NewApiKey, 'permissions' | 'expiresAt'>,
): AuditDraft => ({
  action,
  entityType: 'api_key',
  entityId: key.id,
  entityName: key.name,
  changes:
    granted === undefined
      ? {}
      : {
          name: { to: key.name },
          permissions: { to: granted.permissions },
          expiresAt: { to: granted.expiresAt ?? null },
        },
})

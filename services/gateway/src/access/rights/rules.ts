/**
 * Rules of roles: a caller grants only rights that they hold, and only an OWNER grants or revokes
 * OWNER.
 */
import {
  type AuditDraft,
  rights as allRights,
  builtInRoles,
  changesBetween,
  conflict,
  draftAudit,
  forbidden,
  type Grants,
  grantsMeet,
  invalid,
  missingPermission,
  type Permission,
  type Right,
  requirementOf,
  requirementOfRight,
} from '@status-page/contracts'

const OWNER = 'OWNER'

/** Role that a membership or an invitation refers to. */
export interface RoleReference {
  reference: string
  name: string
  rights: readonly Right[]
}

export interface RoleFields {
  name: string
  description: string | null
  permissions: Right[]
}

/** Caller that grants or revokes rights, as stored in the database at that moment. */
export interface Grantor {
  grants: Grants
  /** True for a user with the role OWNER; always false for an API key. */
  isOwner: boolean
  /** User who acts; for an API key, its creator. */
  userId: string | null
}

export const validateRights = (
  { grants }: Pick<Grantor, 'grants'>,
  permissions: readonly Right[],
): void => {
  for (const right of permissions) {
    const needed = requirementOfRight(right)
    if (!grantsMeet(grants, needed)) throw missingPermission(needed)
  }
}

/** Checks that the caller may assign the role to a member or an invitation. */
export const validateRoleGranted = (grantor: Grantor, role: RoleReference): void => {
  if (role.reference === OWNER) validateOwner(grantor)
  validateRights(grantor, role.rights)
}

export const validateRoleRevoked = (grantor: Grantor, reference: string): void => {
  if (reference === OWNER) validateOwner(grantor)
}

const validateOwner = ({ isOwner }: Grantor) => {
  if (!isOwner)
    throw forbidden('owner_required', 'Only an OWNER can grant or revoke the role OWNER')
}

export const unknownRole = () =>
  invalid({ field: 'role', message: 'role must be a built-in role or the id of a custom one' })

/**
 * Rights of an API key's permission; `write` consists of three rights, and its grantor has to hold
 * all of them.
 */
export const rightsOfPermission = (permission: Permission): Right[] => {
  const actions = permission.endsWith(':write')
    ? (['CREATE', 'UPDATE', 'DELETE'] as const)
    : (['VIEW'] as const)
  return actions.map((action) => requirementOf(permission, 'POST', action).right)
}

/** Returns whether the rights include all permissions of an API key. */
export const coversPermissions = (
  held: readonly string[],
  permissions: readonly string[],
): boolean =>
  (permissions as readonly Permission[])
    .flatMap(rightsOfPermission)
    .every((right) => grantsMeet({ kind: 'session', rights: held }, requirementOfRight(right)))

/** Returns whether the rights include all required ones. */
export const coversRights = (held: readonly string[], required: readonly Right[]): boolean =>
  required.every((right) =>
    grantsMeet({ kind: 'session', rights: held }, requirementOfRight(right)),
  )

/** Maximum number of custom roles of an organization. */
export const MAX_CUSTOM_ROLES = 100

export const validateRoleCount = (count: number): void => {
  if (count < MAX_CUSTOM_ROLES) return
  throw conflict(
    'invalid_state',
    `An organization can have at most ${MAX_CUSTOM_ROLES} custom roles`,
  )
}

export const validateRoleName = (name: string): void => {
  if (builtInRoles.some((role) => role === name.trim().toUpperCase())) {
    throw conflict('duplicate', 'A built-in role has this name')
  }
}

export const roleNameTaken = () => conflict('duplicate', 'A role with this name already exists')

/** Sorts rights in the order of the contract. */
export const sortRights = (permissions: readonly Right[]): Right[] =>
  allRights.filter((right) => permissions.includes(right))

export const addedRights = (before: readonly Right[], after: readonly Right[]): Right[] =>
  after.filter((right) => !before.includes(right))

type RoleAction = 'role.create' | 'role.update' | 'role.delete'

export const roleAudit = (
  action: RoleAction,
  id: string,
  before: RoleFields | null,
  after: RoleFields,
): AuditDraft => {
  const changes = action === 'role.delete' ? {} : changesBetween<RoleFields>(before, after)
  return draftAudit(action, { id, name: after.name }, changes)
}

/**
 * Permissions of API keys (`incidents:write`) and rights of roles (`INCIDENTS_UPDATE`), both
 * derived from one list of resources.
 */

export const resources = [
  'components',
  'incidents',
  'maintenances',
  'status-pages',
  'subscribers',
  'integrations',
  'sla',
  'notifications',
  'oncall',
  'config',
  'organization',
] as const

export type ResourceName = (typeof resources)[number]
export type Permission = `${ResourceName}:${'read' | 'write'}` | 'audit:read'

export const permissions: readonly Permission[] = [
  ...resources.flatMap((name) => [`${name}:read`, `${name}:write`] as const),
  'audit:read',
]

export const actions = ['VIEW', 'CREATE', 'UPDATE', 'DELETE'] as const
export type Action = (typeof actions)[number]

type Constant<Name extends string> = Name extends `${infer Head}-${infer Tail}`
  ? `${Uppercase<Head>}_${Uppercase<Tail>}`
  : Uppercase<Name>
export type Right = `${Constant<ResourceName>}_${Action}` | 'AUDIT_VIEW'

const constantOf = (resource: string) => resource.toUpperCase().replaceAll('-', '_')

export const rights: readonly Right[] = [
  ...resources.flatMap((name) => actions.map((action) => `${constantOf(name)}_${action}` as Right)),
  'AUDIT_VIEW',
]

/** The eight built-in roles; columns of `matrix`. A letter stands for an action (V, C, U, D). */
const roleNames = [
  'OWNER',
  'ADMIN',
  'MEMBER',
  'VIEWER',
  'INCIDENT_MANAGER',
  'ONCALL_RESPONDER',
  'STATUS_EDITOR',
  'SUBSCRIBER_MANAGER',
] as const
export type RoleName = (typeof roleNames)[number]
export const builtInRoles: readonly RoleName[] = roleNames

const matrix: Record<ResourceName | 'audit', readonly string[]> = {
  components: ['VCUD', 'VCUD', 'VCUD', 'V', 'VU', 'VU', 'VCU', 'V'],
  incidents: ['VCUD', 'VCUD', 'VCUD', 'V', 'VCUD', 'VCU', 'VCU', 'V'],
  maintenances: ['VCUD', 'VCUD', 'VCUD', 'V', 'VCUD', 'V', 'VCU', 'V'],
  'status-pages': ['VCUD', 'VCUD', 'VCU', 'V', 'V', 'V', 'VCU', 'V'],
  subscribers: ['VCUD', 'VCUD', 'VCU', '', '', '', '', 'VCUD'],
  integrations: ['VCUD', 'VCUD', 'V', 'V', 'V', 'V', '', ''],
  sla: ['VCUD', 'VCUD', 'VCU', 'V', 'V', 'V', 'V', ''],
  notifications: ['VCUD', 'VCUD', 'V', 'V', 'V', 'V', '', 'V'],
  oncall: ['VCUD', 'VCUD', 'VU', 'V', 'VCU', 'VU', '', ''],
  config: ['VCUD', 'VCUD', 'V', 'V', '', '', '', ''],
  organization: ['VCUD', 'VCUD', 'V', 'V', 'V', 'V', 'V', 'V'],
  audit: ['V', 'V', '', '', '', '', '', ''],
}

const letters: Record<string, Action> = { V: 'VIEW', C: 'CREATE', U: 'UPDATE', D: 'DELETE' }

export const rightsOfRole = (role: RoleName): readonly Right[] => {
  const column = roleNames.indexOf(role)
  return Object.entries(matrix).flatMap(([resource, row]) =>
    [...(row[column] ?? '')].map((letter) => `${constantOf(resource)}_${letters[letter]}` as Right),
  )
}

/** Requirement of an operation on its caller: a permission, or a kind of credential. */
export type PermissionRule = Permission | 'public' | 'session' | 'caller' | 'signature'

/** Grants of a caller: the rights of the role for a session, the permissions for a key. */
export type Grants =
  | { kind: 'session'; rights: readonly string[] }
  | { kind: 'key'; permissions: readonly string[] }
  | { kind: 'service' }
  | { kind: 'anonymous' }

/** Permission that a key needs, with the right that a role needs instead. */
export interface Requirement {
  permission: Permission
  right: Right
}

const actionOfMethod: Record<string, Action> = {
  GET: 'VIEW',
  POST: 'CREATE',
  PUT: 'UPDATE',
  PATCH: 'UPDATE',
  DELETE: 'DELETE',
}

/** Requirement for a permission; the right's action follows from the method unless it is passed. */
export const requirementOf = (
  permission: Permission,
  method: string,
  action: Action = actionOfMethod[method] ?? 'UPDATE',
): Requirement => {
  const [resource = ''] = permission.split(':')
  return { permission, right: `${constantOf(resource)}_${action}` as Right }
}

/** Requirement for a right, with the permission that a key needs instead. */
export const requirementOfRight = (right: Right): Requirement => {
  const cut = right.lastIndexOf('_')
  const resource = right.slice(0, cut).toLowerCase().replaceAll('_', '-')
  const permission = `${resource}:${right.slice(cut + 1) === 'VIEW' ? 'read' : 'write'}`
  return { permission: permission as Permission, right }
}

/**
 * Returns whether grants fulfil a requirement: any action implies VIEW, `write` includes `read`,
 * and there are no wildcards.
 */
export const grantsMeet = (grants: Grants, { permission, right }: Requirement): boolean => {
  switch (grants.kind) {
    case 'service':
      return true
    case 'anonymous':
      return false
    case 'key': {
      if (grants.permissions.includes(permission)) return true
      return grants.permissions.includes(permission.replace(/:read$/, ':write'))
    }
    case 'session': {
      if (grants.rights.includes(right)) return true
      if (!right.endsWith('_VIEW')) return false
      const prefix = right.slice(0, -'VIEW'.length)
      return grants.rights.some((held) => held.startsWith(prefix))
    }
  }
}

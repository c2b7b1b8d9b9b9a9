/** Permissions of an API key as one level of access per resource. */
import type { Action, Permission, ResourceName, Right } from '@status-page/contracts'
import { resources } from '../api/contract.ts'
import { identifierWords } from '../texts/identifier-words.ts'

export type Resource = ResourceName | 'audit'
export type AccessLevel = 'none' | 'read' | 'write'
export type AccessLevels = Partial<Record<Resource, AccessLevel>>

/** Resources in the order of the contract. */
export const accessResources: readonly Resource[] = [...resources, 'audit']

const writes: readonly Action[] = ['CREATE', 'UPDATE', 'DELETE']

/** Name of the resource in `names`, or its identifier as words: `status-pages`, "Status pages". */
export const resourceNameOf = (resource: string, names: Partial<Record<string, string>>): string =>
  names[resource] ?? identifierWords(resource)

/** Right of a role, such as `STATUS_PAGES_VIEW`. */
export const rightOf = (resource: Resource, action: Action): Right =>
  `${resource.toUpperCase().replaceAll('-', '_')}_${action}` as Right

/** Levels that a user with these rights may grant; the service requires all rights of `write`. */
export const levelsOf = (resource: Resource, can: (right: Right) => boolean): AccessLevel[] => {
  const mayWrite = resource !== 'audit' && writes.every((action) => can(rightOf(resource, action)))
  const mayRead = can(rightOf(resource, 'VIEW'))
  return [
    'none',
    ...(mayRead ? (['read'] as const) : []),
    ...(mayWrite ? (['write'] as const) : []),
  ]
}

export const permissionsOf = (levels: AccessLevels): Permission[] =>
  Object.entries(levels)
    .filter(([, level]) => level !== 'none')
    .map(([resource, level]) => `${resource}:${level}` as Permission)

export const accessLevelsOf = (permissions: readonly string[]): AccessLevels => {
  const levels: Record<string, AccessLevel> = {}
  for (const permission of permissions) {
    const [resource = '', level] = permission.split(':')
    if (level === 'write') levels[resource] = 'write'
    else levels[resource] ??= 'read'
  }
  return levels
}

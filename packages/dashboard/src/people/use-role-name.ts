/** Names of roles: built-in ones in the language of the user, custom ones as they were entered. */
import { useQuery } from '@tanstack/react-query'
import { useTexts } from '../texts/texts.tsx'
import { rolesQuery } from './queries.ts'

export const useRoleName = (): ((role: { id: string; name: string }) => string) => {
  const names: Record<string, string> = useTexts().access.roleNames
  return ({ id, name }) => names[id] ?? name
}

/** Name of the role with the id; the id itself until the roles are read. */
export const useRoleNameById = (): ((id: string) => string) => {
  const nameOf = useRoleName()
  const { data: roles = [] } = useQuery(rolesQuery)
  return (id) => nameOf({ id, name: roles.find((role) => role.id === id)?.name ?? id })
}

/** Names of roles: built-in ones in the language of the user, custom ones as they were entered. */
import { useTexts } from '../texts/texts.tsx'

export const useRoleName = (): ((role: { id: string; name: string }) => string) => {
  const names: Record<string, string> = useTexts().access.roleNames
  return ({ id, name }) => names[id] ?? name
}

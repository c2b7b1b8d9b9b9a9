/** Names of resources in the language of the user. */
import { useTexts } from '../texts/texts.tsx'
import { resourceNameOf } from './permissions.ts'

export const useResourceName = (): ((resource: string) => string) => {
  const { resources } = useTexts().access
  return (resource) => resourceNameOf(resource, resources)
}

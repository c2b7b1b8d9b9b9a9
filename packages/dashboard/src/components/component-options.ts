/** Components as options of a choice; empty without the right to read them. */
import { useQuery } from '@tanstack/react-query'
import { componentLabel, componentNamesQuery } from '../composer/queries.ts'
import { useSession } from '../session/session.tsx'

export interface ComponentOption {
  value: string
  label: string
}

export const useComponentOptions = (): ComponentOption[] => {
  const { can } = useSession()
  const { data = [] } = useQuery({ ...componentNamesQuery, enabled: can('COMPONENTS_VIEW') })
  return data.map((component) => ({ value: component.id, label: componentLabel(component) }))
}

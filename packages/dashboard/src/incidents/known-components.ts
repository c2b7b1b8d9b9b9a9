/** Components that an incident lists or can be extended by. */
import { useQuery } from '@tanstack/react-query'
import { componentsQuery } from '../api/queries.ts'
import { useSession } from '../session/session.tsx'
import type { IncidentDetail } from './queries.ts'

/** Names by id: the components of the incident, then those that it can be extended by. */
export const useKnownComponents = ({ components }: IncidentDetail): ReadonlyMap<string, string> => {
  const { can } = useSession()
  const { data } = useQuery({ ...componentsQuery, enabled: can('COMPONENTS_VIEW') })
  return new Map([...components, ...(data?.data ?? [])].map(({ id, name }) => [id, name]))
}

/** Components that an incident lists or can be extended by. */
import { useQuery } from '@tanstack/react-query'
import { componentLabel, componentNamesQuery } from '../composer/queries.ts'
import { useSession } from '../session/session.tsx'
import type { IncidentDetail } from './queries.ts'

/** Names by id: the components of the incident, then those that it can be extended by. */
export const useKnownComponents = ({ components }: IncidentDetail): ReadonlyMap<string, string> => {
  const { can } = useSession()
  const { data = [] } = useQuery({ ...componentNamesQuery, enabled: can('COMPONENTS_VIEW') })
  const listed = components.map(({ id, name }) => [id, name] as const)
  return new Map([...listed, ...data.map((one) => [one.id, componentLabel(one)] as const)])
}

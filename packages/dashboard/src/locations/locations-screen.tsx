/** Private locations, each with its agents. */
import { useQuery } from '@tanstack/react-query'
import { locationsQuery } from '../api/queries.ts'
import { OrganizationResourcesScreen } from '../app/organization-resources-screen.tsx'
import { Problem } from '../app/problem.tsx'
import { Empty, Skeleton } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'
import { LocationCard } from './location-card.tsx'
import { NewLocationDialog } from './new-location-dialog.tsx'

/** Requests of agents create no event. */
const REFETCH_INTERVAL_MS = 10_000

export const LocationsScreen = () => (
  <OrganizationResourcesScreen
    texts={useTexts().locations}
    List={LocationList}
    NewDialog={NewLocationDialog}
  />
)

const LocationList = () => {
  const { locations: texts } = useTexts()
  const { data, error, refetch } = useQuery({
    ...locationsQuery,
    refetchInterval: REFETCH_INTERVAL_MS,
  })
  if (data === undefined) {
    return error === null ? <Skeleton rows={4} /> : <Problem error={error} onRetry={refetch} />
  }
  if (data.data.length === 0) return <Empty title={texts.none} hint={texts.noneHint} />
  return data.data.map((location) => <LocationCard key={location.id} location={location} />)
}

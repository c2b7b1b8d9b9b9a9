/** Private locations, each with its agents. */
import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { locationsQuery } from '../api/queries.ts'
import { NoPermission, Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { LocationCard } from './location-card.tsx'
import { NewLocationDialog } from './new-location-dialog.tsx'

/** Requests of agents create no event. */
const REFETCH_INTERVAL_MS = 10_000

export const LocationsScreen = () => {
  const { locations: texts } = useTexts()
  const { can } = useSession()
  const [isCreating, setCreating] = useState(false)
  return (
    <Screen
      title={texts.title}
      intro={texts.intro}
      aside={
        can('ORGANIZATION_CREATE') && (
          <Button emphasis="primary" onPress={() => setCreating(true)}>
            {texts.create}
          </Button>
        )
      }
    >
      {can('ORGANIZATION_VIEW') ? <LocationList /> : <NoPermission />}
      {isCreating && <NewLocationDialog onClose={() => setCreating(false)} />}
    </Screen>
  )
}

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

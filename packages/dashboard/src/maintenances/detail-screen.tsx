/** Maintenance: its updates, its facts, and the actions that the role permits. */
import { ApiError } from '@status-page/client'
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Problem } from '../app/problem.tsx'
import layout from '../incidents/incidents.module.css'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { FactsCard, ListedComponentsCard, SeriesCard } from './facts-cards.tsx'
import { MaintenanceActions } from './maintenance-actions.tsx'
import { type MaintenanceData, maintenanceQuery } from './queries.ts'
import { TimelineCard } from './timeline-card.tsx'
import { UpdateCard } from './update-card.tsx'

const route = getRouteApi('/maintenances/$id')
const NOT_FOUND = 404

export const MaintenanceScreen = () => {
  const { maintenance: texts } = useTexts()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(maintenanceQuery(id))
  const isGone = error instanceof ApiError && error.status === NOT_FOUND
  if (data === undefined || isGone) {
    return (
      <Screen title={texts.one}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <MaintenanceView key={id} maintenance={data} />
}

const MaintenanceView = ({ maintenance }: { maintenance: MaintenanceData }) => {
  const { can } = useSession()
  const { status } = maintenance
  const isOpen = status !== 'completed' && status !== 'cancelled'
  return (
    <Screen title={maintenance.title} aside={<MaintenanceActions maintenance={maintenance} />}>
      <div className={layout.columns}>
        <div className={layout.column}>
          {isOpen && can('MAINTENANCES_UPDATE') && <UpdateCard maintenance={maintenance} />}
          <TimelineCard maintenance={maintenance} />
        </div>
        <div className={layout.column}>
          <FactsCard maintenance={maintenance} />
          <SeriesCard maintenance={maintenance} />
          <ListedComponentsCard maintenance={maintenance} />
        </div>
      </div>
    </Screen>
  )
}

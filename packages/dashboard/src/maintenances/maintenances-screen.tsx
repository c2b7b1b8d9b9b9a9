/** Maintenances as list or calendar; view and filters are in the address. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { isFiltered, type MaintenanceFilters, PAGE_SIZE } from './filters.ts'
import { FiltersBar } from './filters-bar.tsx'
import { MaintenanceCalendar } from './maintenance-calendar.tsx'
import { type MaintenanceData, maintenancesQuery } from './queries.ts'
import { useRecurrenceText } from './recurrence-text.ts'
import { maintenanceMarks } from './states.ts'
import { useWindowText } from './window-text.ts'

const route = getRouteApi('/maintenances')

export const MaintenancesScreen = () => {
  const { maintenance: texts } = useTexts()
  const { can } = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = (patch: MaintenanceFilters) =>
    void navigate({ search: { ...filters, page: undefined, ...patch }, replace: true })
  const add = can('MAINTENANCES_CREATE') && (
    <Link to="/maintenances/new" className={buttonClass('primary')}>
      {texts.new}
    </Link>
  )
  return (
    <Screen title={texts.title} aside={add}>
      <FiltersBar filters={filters} onChange={change} />
      {filters.view === undefined ? (
        <MaintenanceList
          filters={filters}
          onPage={(page) => void navigate({ search: { ...filters, page } })}
        />
      ) : (
        <MaintenanceCalendar filters={filters} onChange={change} />
      )}
    </Screen>
  )
}

interface MaintenanceListProps {
  filters: MaintenanceFilters
  onPage(page: number): void
}

const MaintenanceList = ({ filters, onPage }: MaintenanceListProps) => {
  const { maintenance: texts } = useTexts()
  const { plural } = useFormats()
  const { data, error, refetch } = useQuery(maintenancesQuery(filters))
  if (data === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (data.data.length === 0) {
    const isCalm = !isFiltered(filters) && filters.state === undefined && total === 0
    return isCalm ? (
      <Empty state="ok" title={texts.noneUpcoming} hint={texts.noneUpcomingHint} />
    ) : (
      <Empty title={texts.noneFound} hint={texts.noneFoundHint} />
    )
  }
  return (
    <>
      <Card title={plural(texts.found, total)}>
        <ul>
          {data.data.map((maintenance) => (
            <MaintenanceRow key={maintenance.id} maintenance={maintenance} />
          ))}
        </ul>
      </Card>
      <Pagination page={filters.page ?? 1} total={total} pageSize={PAGE_SIZE} onChange={onPage} />
    </>
  )
}

const SHOWN_COMPONENTS = 3

const MaintenanceRow = ({ maintenance }: { maintenance: MaintenanceData }) => {
  const { maintenance: texts, overview, maintenances: names } = useTexts()
  const { facts, plural } = useFormats()
  const windowText = useWindowText()
  const recurrenceText = useRecurrenceText()
  const { id, title, status, scheduledFor, scheduledUntil, recurrence, components } = maintenance
  const shown = components.slice(0, SHOWN_COMPONENTS).map(({ name }) => name)
  const more = components.length - shown.length
  return (
    <ListRow
      state={maintenanceMarks[status]}
      title={
        <Link to="/maintenances/$id" params={{ id }}>
          {title}
        </Link>
      }
      facts={[
        names[status],
        windowText(scheduledFor, scheduledUntil),
        recurrence && recurrenceText(recurrence, scheduledFor),
        maintenance.recurrenceOf !== null ? texts.ofSeries : null,
        facts([...shown, ...(more > 0 ? [plural(overview.more, more)] : [])]),
      ]}
    />
  )
}

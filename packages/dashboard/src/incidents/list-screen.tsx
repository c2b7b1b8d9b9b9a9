/** List of incidents with its filters, which are in the address. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Problem } from '../app/problem.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useNextUpdateTexts } from '../overview/next-update-texts.ts'
import { impactStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type IncidentFilters, isFiltered, PAGE_SIZE } from './filters.ts'
import { FiltersBar } from './filters-bar.tsx'
import { type IncidentDetail, incidentsQuery } from './queries.ts'

const route = getRouteApi('/incidents')

export const IncidentsScreen = () => {
  const { incident: texts } = useTexts()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = (patch: IncidentFilters) =>
    void navigate({ search: { ...filters, page: undefined, ...patch }, replace: true })
  return (
    <Screen title={texts.title}>
      <FiltersBar
        filters={filters}
        onChange={change}
        onReset={() => void navigate({ search: {} })}
      />
      <IncidentList
        filters={filters}
        onPage={(page) => void navigate({ search: { ...filters, page } })}
      />
    </Screen>
  )
}

interface IncidentListProps {
  filters: IncidentFilters
  onPage(page: number): void
}

const IncidentList = ({ filters, onPage }: IncidentListProps) => {
  const { incident: texts } = useTexts()
  const { plural } = useFormats()
  const { data, error, refetch } = useQuery(incidentsQuery(filters))
  if (data === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (data.data.length === 0) {
    const isCalm = !isFiltered(filters) && filters.state === undefined && total === 0
    return isCalm ? (
      <Empty state="ok" title={texts.noneOpen} hint={texts.noneOpenHint} />
    ) : (
      <Empty title={texts.noneFound} hint={texts.noneFoundHint} />
    )
  }
  return (
    <>
      <Card title={plural(texts.found, total)}>
        <ul>
          {data.data.map((incident) => (
            <IncidentRow key={incident.id} incident={incident} />
          ))}
        </ul>
      </Card>
      <Pagination page={filters.page ?? 1} total={total} pageSize={PAGE_SIZE} onChange={onPage} />
    </>
  )
}

const SHOWN_COMPONENTS = 3

const IncidentRow = ({ incident }: { incident: IncidentDetail }) => {
  const { incident: texts, overview, ...names } = useTexts()
  const { facts, fill, plural, time } = useFormats()
  const { id, title, status, impact, startedAt, resolvedAt, components } = incident
  const due = useNextUpdateTexts()
  const shown = components.slice(0, SHOWN_COMPONENTS).map(({ name }) => name)
  const more = components.length - shown.length
  return (
    <ListRow
      state={resolvedAt === null ? impactStates[impact] : 'ok'}
      title={
        <Link to="/incidents/$id" params={{ id }}>
          {title}
        </Link>
      }
      warning={due.warningOf(incident)}
      facts={[
        names.incidents[status],
        names.impacts[impact],
        fill(texts.started, { time: time(startedAt) }),
        resolvedAt && fill(texts.ended, { time: time(resolvedAt) }),
        due.factOf(incident),
        facts([...shown, ...(more > 0 ? [plural(overview.more, more)] : [])]),
      ]}
    />
  )
}

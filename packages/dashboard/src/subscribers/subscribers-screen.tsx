/** List of subscribers with its filters, which are in the address. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { NoPermission, Problem } from '../app/problem.tsx'
import { Card } from '../kit/card.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { isFiltered, PAGE_SIZE, type SubscriberFilters } from './filters.ts'
import { FiltersBar } from './filters-bar.tsx'
import { ListActions } from './list-actions.tsx'
import { subscribersQuery } from './queries.ts'
import { SubscriberRow } from './subscriber-row.tsx'

const route = getRouteApi('/subscribers')

export const SubscribersScreen = () => {
  const { subscribers: texts } = useTexts()
  const { can } = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = (patch: SubscriberFilters) =>
    void navigate({ search: { ...filters, page: undefined, ...patch }, replace: true })
  if (!can('SUBSCRIBERS_VIEW')) {
    return (
      <Screen title={texts.title}>
        <NoPermission />
      </Screen>
    )
  }
  return (
    <Screen title={texts.title} aside={<ListActions filters={filters} />}>
      <FiltersBar
        filters={filters}
        onChange={change}
        onReset={() => void navigate({ search: {} })}
      />
      <SubscriberList
        filters={filters}
        onPage={(page) => void navigate({ search: { ...filters, page } })}
      />
    </Screen>
  )
}

interface SubscriberListProps {
  filters: SubscriberFilters
  onPage(page: number): void
}

const SubscriberList = ({ filters, onPage }: SubscriberListProps) => {
  const { subscribers: texts } = useTexts()
  const { plural } = useFormats()
  const { data, error, refetch } = useQuery(subscribersQuery(filters))
  if (data === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (data.data.length === 0 && total === 0) {
    return isFiltered(filters) ? (
      <Empty title={texts.noneFound} hint={texts.noneFoundHint} />
    ) : (
      <Empty title={texts.empty} hint={texts.emptyHint} />
    )
  }
  return (
    <>
      <Card title={plural(texts.found, total)}>
        <ul>
          {data.data.map((subscriber) => (
            <SubscriberRow key={subscriber.id} subscriber={subscriber} />
          ))}
        </ul>
      </Card>
      <Pagination page={filters.page ?? 1} total={total} pageSize={PAGE_SIZE} onChange={onPage} />
    </>
  )
}

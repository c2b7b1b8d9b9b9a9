/** Delivery log with its filters, which are in the address. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { NoPermission, Problem } from '../app/problem.tsx'
import { Card } from '../kit/card.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './deliveries.module.css'
import { DeliveryRow, isReplayable } from './delivery-row.tsx'
import { type DeliveryLogFilters, isFiltered, PAGE_SIZE } from './filters.ts'
import { FiltersBar } from './filters-bar.tsx'
import { deliveriesQuery } from './queries.ts'
import { ReplayBar } from './replay-bar.tsx'
import { ReplayFailed } from './replay-failed.tsx'

const route = getRouteApi('/deliveries')

export const DeliveriesScreen = () => {
  const { deliveries: texts } = useTexts()
  const { can } = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = (patch: DeliveryLogFilters) =>
    void navigate({ search: { ...filters, page: undefined, ...patch }, replace: true })
  if (!can('NOTIFICATIONS_VIEW')) {
    return (
      <Screen title={texts.title}>
        <NoPermission />
      </Screen>
    )
  }
  return (
    <Screen
      title={texts.title}
      intro={texts.intro}
      aside={can('NOTIFICATIONS_UPDATE') && <ReplayFailed filters={filters} />}
    >
      <SubjectNote filters={filters} />
      <FiltersBar
        filters={filters}
        onChange={change}
        onReset={() => void navigate({ search: {} })}
      />
      <DeliveryList
        filters={filters}
        onPage={(page) => void navigate({ search: { ...filters, page } })}
      />
    </Screen>
  )
}

/** Filter that no control shows: another screen links to the deliveries of its subject. */
const SubjectNote = ({ filters: { incident, subscriber } }: { filters: DeliveryLogFilters }) => {
  const { deliveries: texts } = useTexts()
  if (incident !== undefined) {
    return (
      <p className={classes.subject}>
        {texts.ofIncident}{' '}
        <Link to="/incidents/$id" params={{ id: incident }}>
          {texts.toIncident}
        </Link>
      </p>
    )
  }
  return subscriber === undefined ? null : <p className={classes.subject}>{texts.ofSubscriber}</p>
}

interface DeliveryListProps {
  filters: DeliveryLogFilters
  onPage(page: number): void
}

const DeliveryList = ({ filters, onPage }: DeliveryListProps) => {
  const { deliveries: texts } = useTexts()
  const { plural } = useFormats()
  const canReplay = useSession().can('NOTIFICATIONS_UPDATE')
  const { data, error, refetch } = useQuery(deliveriesQuery(filters))
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set())
  if (data === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (total === 0) {
    return isFiltered(filters) ? (
      <Empty title={texts.noneFound} hint={texts.noneFoundHint} />
    ) : (
      <Empty title={texts.empty} hint={texts.emptyHint} />
    )
  }
  // A delivery that was sent in the meantime is not selected any more.
  const selected = data.data.filter((one) => isReplayable(one) && chosen.has(one.id))
  const select = (id: string, isSelected: boolean) =>
    setChosen((ids) => new Set([...ids].filter((one) => one !== id).concat(isSelected ? id : [])))
  return (
    <>
      <Card title={plural(texts.found, total)}>
        <ul>
          {data.data.map((delivery) => (
            <DeliveryRow
              key={delivery.id}
              delivery={delivery}
              isSelected={chosen.has(delivery.id)}
              onSelect={canReplay ? (isOn) => select(delivery.id, isOn) : undefined}
            />
          ))}
        </ul>
      </Card>
      <Pagination page={filters.page ?? 1} total={total} pageSize={PAGE_SIZE} onChange={onPage} />
      {canReplay && <ReplayBar selected={selected} onClear={() => setChosen(new Set())} />}
    </>
  )
}

/** List of alerts with its filters, which are in the address. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Card } from '../kit/card.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ALERT_PAGE_SIZE, type AlertFilters, alertStates } from './alert-filters.ts'
import { AlertRow } from './alert-row.tsx'
import classes from './on-call.module.css'
import { OnCallViews } from './on-call-views.tsx'
import { alertsQuery, schedulesQuery } from './queries.ts'
import { useAlertAction } from './use-alert-action.ts'

const route = getRouteApi('/on-call/alerts')

export const AlertsScreen = () => {
  const { onCall: texts } = useTexts()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const change = (patch: AlertFilters) =>
    void navigate({ search: { ...filters, page: undefined, ...patch }, replace: true })
  return (
    <Screen title={texts.alerts}>
      <OnCallViews />
      <FiltersBar filters={filters} onChange={change} />
      <AlertList
        filters={filters}
        onPage={(page) => void navigate({ search: { ...filters, page } })}
      />
    </Screen>
  )
}

const ANY = 'any'

interface FiltersBarProps {
  filters: AlertFilters
  onChange(patch: AlertFilters): void
}

const FiltersBar = ({ filters, onChange }: FiltersBarProps) => {
  const { onCall: texts } = useTexts()
  const { data } = useQuery(schedulesQuery())
  const schedules = data?.data ?? []
  return (
    <search className={classes.filters} aria-label={texts.filters}>
      <Segmented
        label={texts.status}
        options={alertStates.map((value) => ({ value, label: texts.alertStates[value] }))}
        value={filters.state ?? 'unacknowledged'}
        onChange={(state) => onChange({ state: state === 'unacknowledged' ? undefined : state })}
      />
      {(schedules.length > 1 || filters.schedule !== undefined) && (
        <Select
          label={texts.schedule}
          isLabelHidden
          options={[
            { value: ANY, label: texts.anySchedule },
            ...schedules.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={filters.schedule ?? ANY}
          onChange={(id) => onChange({ schedule: id === ANY ? undefined : id })}
        />
      )}
    </search>
  )
}

interface AlertListProps {
  filters: AlertFilters
  onPage(page: number): void
}

const AlertList = ({ filters, onPage }: AlertListProps) => {
  const { onCall: texts } = useTexts()
  const { plural } = useFormats()
  const { data, error, refetch } = useQuery(alertsQuery(filters))
  const mutation = useAlertAction()
  if (data === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  const { state = 'unacknowledged' } = filters
  return (
    <>
      <ProblemNote error={mutation.error} />
      {data.data.length === 0 ? (
        <Empty
          state={state === 'resolved' ? 'none' : 'ok'}
          title={texts.noAlerts[state]}
          hint={state === 'resolved' ? undefined : texts.noAlertsHint}
        />
      ) : (
        <Card title={plural(texts.alertCount, total)}>
          <ul>
            {data.data.map((alert) => (
              <AlertRow key={alert.id} alert={alert} mutation={mutation} />
            ))}
          </ul>
        </Card>
      )}
      <Pagination
        page={filters.page ?? 1}
        total={total}
        pageSize={ALERT_PAGE_SIZE}
        onChange={onPage}
      />
    </>
  )
}

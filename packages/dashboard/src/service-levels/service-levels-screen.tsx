/** List of service levels with their present state. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Pagination } from '../kit/pagination.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { Select } from '../kit/select.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { BudgetBar } from './budget-bar.tsx'
import { PAGE_SIZE, type ServiceLevelFilters, serviceLevelStatuses } from './filters.ts'
import { type ServiceLevel, serviceLevelsQuery } from './queries.ts'
import classes from './service-levels.module.css'
import { serviceLevelMarks } from './states.ts'
import { useWindowName } from './texts.ts'

const route = getRouteApi('/service-levels')
const ALL = 'all'

export const ServiceLevelsScreen = () => {
  const { serviceLevel: texts } = useTexts()
  const { can } = useSession()
  const filters = route.useSearch()
  const navigate = route.useNavigate()
  const add = can('SLA_CREATE') && (
    <Link to="/service-levels/new" className={buttonClass('primary')}>
      {texts.new}
    </Link>
  )
  const statuses = serviceLevelStatuses.map((value) => ({ value, label: texts.statuses[value] }))
  return (
    <Screen title={texts.title} aside={add}>
      <div className={classes.filters}>
        <Select
          label={texts.status}
          options={[{ value: ALL, label: texts.all }, ...statuses]}
          value={filters.status ?? ALL}
          onChange={(value) => {
            const status = serviceLevelStatuses.find((one) => one === value)
            void navigate({ search: { status }, replace: true })
          }}
        />
      </div>
      <ServiceLevelList
        filters={filters}
        onPage={(page) => void navigate({ search: { ...filters, page } })}
      />
    </Screen>
  )
}

interface ServiceLevelListProps {
  filters: ServiceLevelFilters
  onPage(page: number): void
}

const ServiceLevelList = ({ filters, onPage }: ServiceLevelListProps) => {
  const { serviceLevel: texts } = useTexts()
  const { plural } = useFormats()
  const { data, error, refetch } = useQuery(serviceLevelsQuery(filters))
  if (data === undefined) {
    return error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />
  }
  const { total } = data.meta
  if (data.data.length === 0) {
    return filters.status === undefined ? (
      <Empty title={texts.none} hint={texts.noneHint} />
    ) : (
      <Empty title={texts.noneFound} />
    )
  }
  return (
    <>
      <Card title={plural(texts.found, total)}>
        <ul>
          {data.data.map((serviceLevel) => (
            <ServiceLevelRow key={serviceLevel.id} serviceLevel={serviceLevel} />
          ))}
        </ul>
      </Card>
      <Pagination page={filters.page ?? 1} total={total} pageSize={PAGE_SIZE} onChange={onPage} />
    </>
  )
}

const ServiceLevelRow = ({ serviceLevel }: { serviceLevel: ServiceLevel }) => {
  const { serviceLevel: texts } = useTexts()
  const { fill, percent } = useFormats()
  const windowName = useWindowName()
  const { id, name, current, targetPercentage } = serviceLevel
  return (
    <li className={classes.row}>
      <StateMark state={serviceLevelMarks[current.status]} />
      <div className={classes.rowText}>
        <p className={classes.rowTitle}>
          <Link to="/service-levels/$id" params={{ id }}>
            <bdi>{name}</bdi>
          </Link>
          <span className={classes.quiet}>{texts.statuses[current.status]}</span>
        </p>
        <p className={classes.quiet}>
          {current.percentage !== null && <strong>{percent(current.percentage)} · </strong>}
          {fill(texts.ofTarget, {
            target: percent(targetPercentage),
            window: windowName(serviceLevel),
          })}
        </p>
      </div>
      <BudgetBar current={current} />
    </li>
  )
}

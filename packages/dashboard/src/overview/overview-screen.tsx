/** Overview: the present state, and everything that waits for a person. */
import type { Schemas } from '@status-page/client'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { overviewQuery } from '../api/queries.ts'
import { Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { StateMark, stateClass } from '../kit/icon.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { AlertsCard } from './alerts-card.tsx'
import { ClearCard } from './clear-card.tsx'
import { DeliveriesCard } from './deliveries-card.tsx'
import { DraftsCard } from './drafts-card.tsx'
import { DisruptedComponentsCard, IncidentsCard } from './incidents-card.tsx'
import { MaintenancesCard } from './maintenances-card.tsx'
import classes from './overview.module.css'
import { ServiceLevelsCard } from './service-levels-card.tsx'
import { componentStates, summaryOf } from './states.ts'

export const OverviewScreen = () => {
  const { overview: texts } = useTexts()
  const { time, fill } = useFormats()
  const { data, error, refetch } = useQuery(overviewQuery)
  if (data === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  const updated = (
    <p className={classes.updated}>{fill(texts.updated, { time: time(data.generatedAt) })}</p>
  )
  return (
    <Screen title={texts.title} aside={updated}>
      {data.components?.total === 0 ? <NoComponents /> : <Summary overview={data} />}
      <div className={classes.columns}>
        <div className={classes.column}>
          <IncidentsCard incidents={data.incidents} />
          <DisruptedComponentsCard components={data.components} />
          <MaintenancesCard maintenances={data.maintenances} />
        </div>
        <div className={classes.column}>
          <AlertsCard alerts={data.alerts} />
          <DraftsCard drafts={data.drafts} />
          <DeliveriesCard deliveries={data.deliveries} />
          <ServiceLevelsCard slas={data.slas} />
          <ClearCard overview={data} />
        </div>
      </div>
    </Screen>
  )
}

type Overview = Schemas['Overview']

const Summary = ({ overview: { components } }: { overview: Overview }) => {
  const texts = useTexts()
  const { plural, number } = useFormats()
  if (components === null) return null
  const { disrupted, worst } = summaryOf(components.byStatus)
  const counts = Object.entries(components.byStatus).filter(([, count]) => count > 0)
  return (
    <section
      className={`${classes.summary} ${stateClass(componentStates[worst])}`}
      aria-live="polite"
    >
      <StateMark state={componentStates[worst]} size="large" />
      <div>
        <p className={classes.headline}>
          {disrupted === 0 ? texts.overview.calm : plural(texts.overview.disrupted, disrupted)}
        </p>
        <ul className={classes.counts}>
          {counts.map(([status, count]) => (
            <li key={status}>
              <StateMark state={componentStates[status as keyof typeof componentStates]} />
              {number(count)} {texts.components[status as keyof typeof texts.components]}
            </li>
          ))}
        </ul>
      </div>
    </section>
  )
}

const NoComponents = () => {
  const { overview: texts } = useTexts()
  const { can } = useSession()
  return (
    <Empty title={texts.noComponents} hint={texts.noComponentsHint}>
      {can('COMPONENTS_CREATE') && (
        <Link to="/start" className={buttonClass('primary')}>
          {texts.setUp}
        </Link>
      )}
    </Empty>
  )
}

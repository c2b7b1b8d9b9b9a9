/** Measurements and history of a component. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ComponentType } from 'react'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { componentStates, impactStates } from '../overview/states.ts'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ChecksCard } from './checks-card.tsx'
import { type ComponentVariant, propertiesOf, variantOf } from './component-types.ts'
import classes from './detail.module.css'
import { FactsCard } from './facts-card.tsx'
import { ImpactCard } from './impact-card.tsx'
import { LazyHeartbeatCards } from './lazy-heartbeat.tsx'
import { componentIncidentsQuery } from './queries.ts'
import { ResponseTimesCard } from './response-times-card.tsx'
import { StatusHistoryCard } from './status-history-card.tsx'
import { TestNow } from './test-now.tsx'
import type { ComponentData } from './tree.ts'
import { UptimeCard } from './uptime-card.tsx'
import { ValuesCard } from './values-card.tsx'
import { VendorReportCard } from './vendor-report-card.tsx'

const measurements: Record<ComponentVariant, ComponentType<{ component: ComponentData }>> = {
  SERVICE: () => null,
  METRIC: ValuesCard,
  request: ({ component: { id } }) => <ResponseTimesCard id={id} />,
  heartbeat: ({ component: { id } }) => <LazyHeartbeatCards id={id} />,
}

export const MonitoringView = ({ component }: { component: ComponentData }) => {
  const { id, type } = component
  const Measurements = measurements[variantOf(component)]
  return (
    <>
      {propertiesOf(component).isTestable && <TestNow component={component} />}
      <FactsCard component={component} />
      <VendorReportCard component={component} />
      <Measurements component={component} />
      <UptimeCard id={id} />
      <div className={classes.columns}>
        <StatusHistoryCard component={component} />
        <IncidentsCard id={id} />
      </div>
      <ImpactCard id={id} />
      <SubcomponentsCard components={component.subComponents ?? []} />
      {type !== 'SERVICE' && <ChecksCard id={id} />}
    </>
  )
}

const SubcomponentsCard = ({ components }: { components: readonly ComponentData[] }) => {
  const texts = useTexts()
  const { number } = useFormats()
  if (components.length === 0) return null
  return (
    <Card
      title={texts.componentScreens.detail.facts.subcomponents}
      count={number(components.length)}
    >
      <ul className={classes.rows}>
        {components.map(({ id, name, status }) => (
          <li key={id}>
            <StateMark state={componentStates[status]} />
            <Link to="/components/$id" params={{ id }}>
              <bdi>{name}</bdi>
            </Link>
            <span className={classes.quiet}>{texts.components[status]}</span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

const IncidentsCard = ({ id }: { id: string }) => {
  const texts = useTexts()
  const { history } = texts.measurements
  const { facts, time } = useFormats()
  const { can } = useSession()
  const { data } = useQuery({ ...componentIncidentsQuery(id), enabled: can('INCIDENTS_VIEW') })
  if (data === undefined) return null
  if (data.data.length === 0) return <Card title={history.incidents} aside={history.noIncidents} />
  return (
    <Card title={history.incidents}>
      <ul className={classes.rows}>
        {data.data.map((incident) => (
          <li key={incident.id}>
            <StateMark state={impactStates[incident.impact]} />
            <Link to="/incidents/$id" params={{ id: incident.id }}>
              <bdi>{incident.title}</bdi>
            </Link>
            <span className={classes.quiet}>
              {facts([texts.incidents[incident.status], time(incident.startedAt)])}
            </span>
          </li>
        ))}
      </ul>
    </Card>
  )
}

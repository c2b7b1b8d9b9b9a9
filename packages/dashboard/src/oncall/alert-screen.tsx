/** Alert: its cause, its escalation, and the actions that the role permits. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { AlertHistoryCard } from './alert-history-card.tsx'
import { AlertActions, alertState } from './alert-row.tsx'
import { useAlertReason, useAlertTitle } from './alert-text.ts'
import classes from './on-call.module.css'
import { OnCallViews } from './on-call-views.tsx'
import { alertQuery, type OnCallAlert } from './queries.ts'
import { useAlertAction } from './use-alert-action.ts'

const route = getRouteApi('/on-call/alerts/$id')

export const AlertScreen = () => {
  const { onCall: texts } = useTexts()
  const { id } = route.useParams()
  const { data: alert, error, refetch } = useQuery(alertQuery(id))
  const mutation = useAlertAction()
  const alertTitle = useAlertTitle()
  if (alert === undefined) {
    return (
      <Screen title={texts.alerts}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return (
    <Screen title={alertTitle(alert)} aside={<AlertActions alert={alert} mutation={mutation} />}>
      <OnCallViews />
      <ProblemNote error={mutation.error} />
      <p className={classes.state} aria-live="polite">
        <StateMark state={alertState(alert)} />
        <strong>{texts.statuses[alert.status]}</strong>
      </p>
      <div className={classes.columns}>
        <AlertHistoryCard alert={alert} />
        <AlertFactsCard alert={alert} />
      </div>
    </Screen>
  )
}

const AlertFactsCard = ({ alert }: { alert: OnCallAlert }) => {
  const { onCall: texts, severities } = useTexts()
  const { number, time } = useFormats()
  const { can } = useSession()
  const { scheduleId, scheduleName, componentId, incidentId } = alert
  const reason = useAlertReason()(alert)
  return (
    <Card title={texts.facts}>
      <dl className={classes.facts}>
        <Fact name={texts.severity}>{severities[alert.severity]}</Fact>
        <Fact name={texts.source}>{texts.sources[alert.source]}</Fact>
        {reason !== null && <Fact name={texts.reason}>{reason}</Fact>}
        <Fact name={texts.problemSince}>{time(alert.since)}</Fact>
        <Fact name={texts.raisedCount}>{number(alert.count)}</Fact>
        <Fact name={texts.schedule}>
          <Link to="/on-call/schedules/$id" params={{ id: scheduleId }}>
            <bdi>{scheduleName}</bdi>
          </Link>
        </Fact>
        {componentId !== null && can('COMPONENTS_VIEW') && (
          <Fact name={texts.component}>
            <Link to="/components/$id" params={{ id: componentId }}>
              {texts.openComponent}
            </Link>
          </Fact>
        )}
        {incidentId !== null && can('INCIDENTS_VIEW') && (
          <Fact name={texts.incident}>
            <Link to="/incidents/$id" params={{ id: incidentId }}>
              {texts.openIncident}
            </Link>
          </Fact>
        )}
      </dl>
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>
      <bdi>{children}</bdi>
    </dd>
  </div>
)

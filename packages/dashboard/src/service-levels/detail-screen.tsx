/** Service level: its present state, its settings and its report. */
import { ApiError } from '@status-page/client'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import layout from '../incidents/incidents.module.css'
import { Button, buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { BudgetBar } from './budget-bar.tsx'
import { useDurationText } from './durations.ts'
import { type ServiceLevel, serviceLevelQuery } from './queries.ts'
import { ReportCard } from './report-card.tsx'
import classes from './service-levels.module.css'
import { serviceLevelMarks } from './states.ts'
import { useWindowName } from './texts.ts'

const route = getRouteApi('/service-levels/$id')
const NOT_FOUND = 404

export const ServiceLevelScreen = () => {
  const { serviceLevel: texts } = useTexts()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(serviceLevelQuery(id))
  const isGone = error instanceof ApiError && error.status === NOT_FOUND
  if (data === undefined || isGone) {
    return (
      <Screen title={texts.one}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return (
    <Screen
      title={data.name}
      intro={data.description ?? undefined}
      aside={<Actions serviceLevel={data} />}
    >
      {data.managedByConfig && <Note state="slow">{texts.managed}</Note>}
      <StateCard serviceLevel={data} />
      <ReportCard key={id} serviceLevel={data} />
    </Screen>
  )
}

interface ServiceLevelProps {
  serviceLevel: ServiceLevel
}

const StateCard = ({ serviceLevel }: ServiceLevelProps) => {
  const { serviceLevel: texts, components: statuses } = useTexts()
  const { fill, list, percent, plural, time } = useFormats()
  const windowName = useWindowName()
  const durationText = useDurationText()
  const { current, targetPercentage, componentIds, minOutageSeconds } = serviceLevel
  const { responseTargetMinutes, resolutionTargetMinutes } = serviceLevel
  const downtime = list(serviceLevel.downtimeStatuses.map((status) => statuses[status]))
  const targetText = (minutes: number | null) =>
    minutes === null ? texts.noTarget : durationText(minutes * 60)
  return (
    <Card title={texts.state} aside={fill(texts.evaluated, { time: time(current.evaluatedAt) })}>
      <div className={classes.summary}>
        <p className={classes.headline}>
          <StateMark state={serviceLevelMarks[current.status]} />
          <strong>{texts.statuses[current.status]}</strong>
          {current.percentage !== null && (
            <span>
              {percent(current.percentage)} ·{' '}
              {fill(texts.ofTarget, {
                target: percent(targetPercentage),
                window: windowName(serviceLevel),
              })}
            </span>
          )}
        </p>
        <BudgetBar current={current} />
      </div>
      <dl className={layout.facts}>
        {current.since !== null && <Fact name={texts.facts.since}>{time(current.since)}</Fact>}
        <Fact name={texts.form.components}>
          {plural(texts.componentCount, componentIds.length)}
        </Fact>
        <Fact name={texts.form.downtimeStatuses}>{downtime}</Fact>
        <Fact name={texts.facts.minOutage}>{durationText(minOutageSeconds)}</Fact>
        <Fact name={texts.form.excludeMaintenance}>
          {serviceLevel.excludeMaintenance ? texts.form.yes : texts.form.no}
        </Fact>
        <Fact name={texts.facts.responseTarget}>{targetText(responseTargetMinutes)}</Fact>
        <Fact name={texts.facts.resolutionTarget}>{targetText(resolutionTargetMinutes)}</Fact>
      </dl>
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

const Actions = ({ serviceLevel: { id, name } }: ServiceLevelProps) => {
  const { serviceLevel: texts, actions } = useTexts()
  const { fill } = useFormats()
  const { can } = useSession()
  const [isAsked, setAsked] = useState(false)
  const remove = useRemove(id)
  return (
    <div className={classes.buttons}>
      {can('SLA_UPDATE') && (
        <Link to="/service-levels/$id/edit" params={{ id }} className={buttonClass()}>
          {texts.edit}
        </Link>
      )}
      {can('SLA_DELETE') && (
        <Button emphasis="danger" onPress={() => setAsked(true)}>
          {texts.delete}
        </Button>
      )}
      <Dialog
        title={fill(texts.deleteTitle, { name })}
        isOpen={isAsked}
        onClose={() => setAsked(false)}
      >
        <p>{texts.deleteHint}</p>
        <div className={classes.buttons}>
          <Button emphasis="danger" isDisabled={remove.isPending} onPress={() => remove.mutate()}>
            {remove.isPending ? actions.saving : texts.delete}
          </Button>
          <Button emphasis="quiet" onPress={() => setAsked(false)}>
            {texts.form.cancel}
          </Button>
        </div>
        <ProblemNote error={remove.error} />
      </Dialog>
    </div>
  )
}

const useRemove = (id: string) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return useMutation({
    mutationFn: () => api.DELETE('/api/v1/sla/{id}', { params: { path: { id } } }),
    onSuccess: async () => {
      await navigate({ to: '/service-levels' })
      void queryClient.invalidateQueries({ queryKey: ['overview'] })
      return queryClient.invalidateQueries({ queryKey: ['slas', 'list'] })
    },
  })
}

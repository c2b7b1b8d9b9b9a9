/** One metric query: the graph of its values and its settings. */
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api } from '../api/client.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { NoPermission, Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import type { Range } from '../components/queries.ts'
import { RangeChoice, ValueGraph } from '../components/value-graph.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { MetricForm } from './metric-form.tsx'
import { metricStates, useMetricFacts } from './metric-queries-card.tsx'
import {
  type MetricValues,
  metricBodyOf,
  metricValuesOf,
  newMetricValues,
} from './metric-values.ts'
import {
  integrationQuery,
  type MetricQueryData,
  metricQueryQuery,
  metricSeriesQuery,
} from './queries.ts'

export const NewMetricScreen = () => {
  const { id } = useParams({ from: '/integrations/$id/metrics/new' })
  const { metrics: texts } = useTexts().integrations
  const { can } = useSession()
  const { data, error, refetch } = useQuery(integrationQuery(id))
  const isFailed = data === undefined && error !== null
  return (
    <MetricFrame id={id} title={texts.add}>
      {isFailed && <Problem error={error} onRetry={refetch} />}
      {!isFailed && (can('INTEGRATIONS_CREATE') ? <NewMetric id={id} /> : <NoPermission />)}
    </MetricFrame>
  )
}

const NewMetric = ({ id }: { id: string }) => {
  const { metrics: texts } = useTexts().integrations
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const create = async (values: MetricValues) => {
    const options = { params: { path: { id } }, body: metricBodyOf(values) }
    const { data } = await api.POST('/api/v1/integrations/{id}/metrics', options)
    await queryClient.invalidateQueries({ queryKey: ['integrations', id] })
    const params = { id, queryId: data.id }
    void navigate({ to: '/integrations/$id/metrics/$queryId', params })
  }
  return (
    <Card title={texts.settings}>
      <CardBody>
        <MetricForm
          name={`metric.new.${id}`}
          current={newMetricValues}
          isReadOnly={false}
          write={create}
        />
      </CardBody>
    </Card>
  )
}

export const MetricScreen = () => {
  const { id, queryId } = useParams({ from: '/integrations/$id/metrics/$queryId' })
  const { metrics: texts } = useTexts().integrations
  const { data, error, refetch } = useQuery(metricQueryQuery(id, queryId))
  if (data !== undefined) return <Metric key={queryId} query={data} />
  return (
    <MetricFrame id={id} title={texts.title}>
      {error === null ? <Skeleton /> : <Problem error={error} onRetry={refetch} />}
    </MetricFrame>
  )
}

/** Frame with a link to the integration, without its name until that is loaded. */
const MetricFrame = (props: { id: string; title: string; children: ReactNode }) => {
  const { integrations: texts } = useTexts()
  const { data } = useQuery(integrationQuery(props.id))
  return (
    <Screen title={props.title}>
      <p>
        <Link to="/integrations/$id" params={{ id: props.id }}>
          <bdi>{data?.name ?? texts.title}</bdi>
        </Link>
      </p>
      {props.children}
    </Screen>
  )
}

const Metric = ({ query }: { query: MetricQueryData }) => {
  const { metrics: texts } = useTexts().integrations
  const { can } = useSession()
  const queryClient = useQueryClient()
  const { id: queryId, integrationId: id } = query
  const update = async (values: MetricValues) => {
    const options = { params: { path: { id, queryId } }, body: metricBodyOf(values) }
    await api.PATCH('/api/v1/integrations/{id}/metrics/{queryId}', options)
    await queryClient.invalidateQueries({ queryKey: ['integrations', id] })
  }
  return (
    <MetricFrame id={id} title={query.name}>
      <ValuesCard query={query} />
      <Card title={texts.settings}>
        <CardBody>
          <MetricForm
            name={`metric.${queryId}`}
            current={metricValuesOf(query)}
            isReadOnly={!can('INTEGRATIONS_UPDATE')}
            write={update}
          />
        </CardBody>
      </Card>
      {can('INTEGRATIONS_DELETE') && <DeleteMetric query={query} />}
    </MetricFrame>
  )
}

const ValuesCard = ({ query }: { query: MetricQueryData }) => {
  const { metrics: texts } = useTexts().integrations
  const { responseTimes } = useTexts().measurements
  const [range, setRange] = useState<Range>('day')
  const facts = useMetricFacts(query).filter((fact) => fact !== null)
  const isWaiting = query.lastValueAt === null && query.lastError === null
  const { data, error } = useQuery({
    ...metricSeriesQuery(query.integrationId, query.id, range),
    placeholderData: keepPreviousData,
  })
  return (
    <Card title={responseTimes.values} aside={<RangeChoice range={range} onChange={setRange} />}>
      <CardBody>
        <Actions>
          <StateMark state={metricStates[query.lastStatus]} />
          <Hint>{facts.join(' · ')}</Hint>
        </Actions>
        <ProblemNote error={error} />
        {data !== undefined && (
          <ValueGraph
            data={data}
            warningThreshold={query.warningThreshold}
            criticalThreshold={query.criticalThreshold}
            unit={query.unit === null ? '{value}' : `{value} ${query.unit}`}
            empty={isWaiting ? texts.waiting : responseTimes.empty}
          />
        )}
      </CardBody>
    </Card>
  )
}

const DeleteMetric = ({
  query: { id: queryId, integrationId: id, name },
}: {
  query: MetricQueryData
}) => {
  const { metrics: texts } = useTexts().integrations
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isOpen, setIsOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () =>
      api.DELETE('/api/v1/integrations/{id}/metrics/{queryId}', {
        params: { path: { id, queryId } },
      }),
    async onSuccess() {
      await navigate({ to: '/integrations/$id', params: { id } })
      queryClient.removeQueries({ queryKey: ['integrations', id, 'metrics', queryId] })
      await queryClient.invalidateQueries({ queryKey: ['integrations', id] })
    },
  })
  return (
    <Actions>
      <Button emphasis="danger" onPress={() => setIsOpen(true)}>
        {texts.delete}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={fill(texts.deleteTitle, { name })}
          confirm={texts.delete}
          action={remove}
          onClose={() => setIsOpen(false)}
        >
          <p>{texts.deleteHint}</p>
        </ConfirmDialog>
      )}
    </Actions>
  )
}

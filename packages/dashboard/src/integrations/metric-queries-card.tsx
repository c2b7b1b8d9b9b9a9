/** Metric queries of an integration with their latest values. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { ProblemNote } from '../app/problem-note.tsx'
import { CardBody, Hint } from '../kit/arrangement.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type MetricQueryData, metricQueriesQuery } from './queries.ts'

export const MetricQueriesCard = ({ integrationId }: { integrationId: string }) => {
  const { metrics: texts } = useTexts().integrations
  const { can } = useSession()
  const { data, error } = useQuery(metricQueriesQuery(integrationId))
  const add = can('INTEGRATIONS_CREATE') && (
    <Link
      to="/integrations/$id/metrics/new"
      params={{ id: integrationId }}
      className={buttonClass()}
    >
      {texts.add}
    </Link>
  )
  return (
    <Card title={texts.title} aside={add}>
      {data?.data.length === 0 && (
        <CardBody>
          <Hint>{texts.empty}</Hint>
        </CardBody>
      )}
      <ul>
        {data?.data.map((query) => (
          <MetricQueryRow key={query.id} query={query} />
        ))}
      </ul>
      <ProblemNote error={error} />
    </Card>
  )
}

export const metricStates: Record<MetricQueryData['lastStatus'], State> = {
  ok: 'ok',
  warning: 'slow',
  critical: 'down',
  no_data: 'none',
  error: 'part',
}

/** Latest value with its unit, and the error of the latest query. */
export const useMetricFacts = (query: MetricQueryData): (string | null)[] => {
  const { metrics: texts } = useTexts().integrations
  const { fill, number, time } = useFormats()
  const { lastValue, lastValueAt, lastStatus, lastError, unit, isEnabled } = query
  const value = lastValue === null ? null : [number(lastValue), unit].filter(Boolean).join(' ')
  // A query without a value has none in its latest result either.
  const statusText = lastValueAt === null ? null : texts.statuses[lastStatus]
  return [
    isEnabled ? null : texts.disabled,
    value,
    lastValueAt === null ? texts.noValue : fill(texts.at, { time: time(lastValueAt) }),
    lastError === null ? statusText : texts.faults[lastError],
  ]
}

const MetricQueryRow = ({ query }: { query: MetricQueryData }) => (
  <ListRow
    state={metricStates[query.lastStatus]}
    title={
      <Link
        to="/integrations/$id/metrics/$queryId"
        params={{ id: query.integrationId, queryId: query.id }}
      >
        {query.name}
      </Link>
    }
    facts={useMetricFacts(query)}
  />
)

/** Response times of the checks as a graph, and as a table for those who cannot see it. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { ProblemNote } from '../app/problem-note.tsx'
import { Card } from '../kit/card.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ChartTable } from './chart-table.tsx'
import classes from './detail.module.css'
import { LazyChart } from './lazy-chart.tsx'
import { type Range, responseTimesQuery } from './queries.ts'
import { type ResponseTimeData, responseTimeSeries, summaryOf } from './series.ts'
import { RangeChoice } from './value-graph.tsx'

export const ResponseTimesCard = ({ id }: { id: string }) => {
  const { responseTimes: texts } = useTexts().measurements
  const [range, setRange] = useState<Range>('day')
  const { data, error } = useQuery({
    ...responseTimesQuery(id, range),
    placeholderData: keepPreviousData,
  })
  return (
    <Card title={texts.title} aside={<RangeChoice range={range} onChange={setRange} />}>
      <div className={classes.chart}>
        {data !== undefined && <ResponseTimesGraph data={data} />}
        <ProblemNote error={error} />
      </div>
    </Card>
  )
}

const ResponseTimesGraph = ({ data }: { data: ResponseTimeData }) => {
  const { measurements, componentScreens } = useTexts()
  const { responseTimes: texts } = measurements
  const { row } = componentScreens
  const { fill, number } = useFormats()
  const chart = useMemo(
    () => responseTimeSeries(data, { average: texts.average, p95: texts.p95 }),
    [data, texts],
  )
  const summary = summaryOf(data)
  if (summary === null) {
    const isFailing = data.points.length > 0
    return (
      <div className={classes.calm}>
        <p>
          <strong>{isFailing ? texts.noSuccess : texts.empty}</strong>
        </p>
        {!isFailing && <p>{texts.emptyHint}</p>}
      </div>
    )
  }
  const text = fill(texts.summary, { average: number(summary.average), p95: number(summary.p95) })
  return (
    <>
      <LazyChart chart={chart} label={text} unit={row.milliseconds} />
      <ChartTable chart={chart} unit={row.milliseconds} />
    </>
  )
}

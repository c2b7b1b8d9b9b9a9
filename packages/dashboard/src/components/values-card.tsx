/** Latest values of a metric as a graph. */
import { useQuery } from '@tanstack/react-query'
import { useMemo } from 'react'
import { Card } from '../kit/card.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ChartTable } from './chart-table.tsx'
import classes from './detail.module.css'
import { checksQuery } from './queries.ts'
import { valueSeries } from './series.ts'
import { TimeSeriesChart } from './time-series-chart.tsx'
import type { ComponentData } from './tree.ts'

const VALUES = 100

export const ValuesCard = ({ component }: { component: ComponentData }) => {
  const { responseTimes: texts, editor } = useTexts().componentScreens
  const { fill, number } = useFormats()
  const { data } = useQuery(checksQuery(component.id, VALUES))
  const chart = useMemo(
    () =>
      valueSeries(data?.data ?? [], {
        [texts.value]: null,
        [editor.warningThreshold]: component.warningThreshold ?? null,
        [editor.criticalThreshold]: component.criticalThreshold ?? null,
      }),
    [data, component, texts, editor],
  )
  const values = (chart.series[0]?.values ?? []).filter((value) => value !== null)
  if (data === undefined) return null
  if (values.length === 0) return <Card title={texts.values} aside={texts.empty} />
  const summary = fill(texts.valueSummary, {
    minimum: number(Math.min(...values)),
    maximum: number(Math.max(...values)),
    latest: number(values.at(-1) ?? 0),
  })
  return (
    <Card title={texts.values}>
      <div className={classes.chart}>
        <TimeSeriesChart chart={chart} label={summary} unit="{value}" />
        <ChartTable chart={chart} unit="{value}" />
      </div>
    </Card>
  )
}

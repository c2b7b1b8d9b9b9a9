/** Measured values of a period as a graph with their thresholds, and as a table. */
import { useMemo } from 'react'
import { Segmented } from '../kit/segmented.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ChartTable } from './chart-table.tsx'
import classes from './detail.module.css'
import { LazyChart } from './lazy-chart.tsx'
import { type Range, rangeNames } from './queries.ts'
import { type ValueData, valueSeries, valueSummaryOf } from './series.ts'

interface ValueGraphProps {
  data: ValueData
  warningThreshold: number | null
  criticalThreshold: number | null
  /** Text of a value, with the placeholder `{value}`. */
  unit?: string
  /** Text in place of a graph without values. */
  empty: string
}

export const ValueGraph = (props: ValueGraphProps) => {
  const { data, warningThreshold, criticalThreshold, unit = '{value}', empty } = props
  const { measurements, componentScreens } = useTexts()
  const { responseTimes: texts } = measurements
  const { editor } = componentScreens
  const { fill, number } = useFormats()
  const chart = useMemo(
    () =>
      valueSeries(data, texts.value, [
        { threshold: 'warning', label: editor.warningThreshold, value: warningThreshold },
        { threshold: 'critical', label: editor.criticalThreshold, value: criticalThreshold },
      ]),
    [data, warningThreshold, criticalThreshold, texts, editor],
  )
  const summary = valueSummaryOf(data)
  if (summary === null) return <p className={classes.calm}>{empty}</p>
  const { minimum, maximum, latest } = summary
  const text = fill(texts.valueSummary, {
    minimum: number(minimum),
    maximum: number(maximum),
    latest: number(latest),
  })
  return (
    <>
      <LazyChart chart={chart} label={text} unit={unit} />
      <ChartTable chart={chart} unit={unit} />
    </>
  )
}

interface RangeChoiceProps {
  range: Range
  onChange(range: Range): void
}

export const RangeChoice = ({ range, onChange }: RangeChoiceProps) => {
  const { responseTimes: texts } = useTexts().measurements
  const options = rangeNames.map((value) => ({ value, label: texts[value] }))
  return (
    <Segmented<Range> label={texts.range} options={options} value={range} onChange={onChange} />
  )
}

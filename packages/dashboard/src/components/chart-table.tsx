/** Numbers of a graph as a table, shown on request. */
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { type Chart, rowsOf } from './series.ts'

const MAX_ROWS = 48
const SECOND_MS = 1_000

interface ChartTableProps {
  chart: Chart
  /** Text of a value, with the placeholder `{value}`. */
  unit: string
}

export const ChartTable = ({ chart, unit }: ChartTableProps) => {
  const { responseTimes: texts } = useTexts().measurements
  const { fill, number, time } = useFormats()
  return (
    <details className={classes.details}>
      <summary>{texts.table}</summary>
      <ScrollRegion label={texts.table}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{texts.time}</th>
              {chart.series.map(({ label }) => (
                <th key={label} scope="col">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rowsOf(chart, MAX_ROWS).map((row) => (
              <tr key={row.time}>
                <td>{time(new Date(row.time * SECOND_MS).toISOString())}</td>
                {row.values.map((value, index) => (
                  <td key={chart.series[index]?.label}>
                    {value === null
                      ? '–'
                      : fill(unit, { value: number(Math.round(value * 100) / 100) })}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </details>
  )
}

/** Latest results of checks, or values of a metric. */
import { useQuery } from '@tanstack/react-query'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { ScrollRegion } from '../kit/scroll-region.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { checksQuery } from './queries.ts'
import { type CheckRecord, checkStates } from './results.ts'
import { usePreciseTime } from './use-precise-time.ts'

const CHECKS = 20

export const ChecksCard = ({ id }: { id: string }) => {
  const { checks: texts } = useTexts().measurements
  const { data } = useQuery(checksQuery(id, CHECKS))
  if (data === undefined) return null
  if (data.data.length === 0) return <Card title={texts.title} aside={texts.empty} />
  return (
    <Card title={texts.title}>
      <ScrollRegion label={texts.title}>
        <table className={classes.table}>
          <thead>
            <tr>
              <th scope="col">{texts.time}</th>
              <th scope="col">{texts.result}</th>
              <th scope="col">{texts.responseTime}</th>
              <th scope="col">{texts.detail}</th>
              <th scope="col">{texts.location}</th>
            </tr>
          </thead>
          <tbody>
            {data.data.map((check) => (
              <CheckRow key={check.id} check={check} />
            ))}
          </tbody>
        </table>
      </ScrollRegion>
    </Card>
  )
}

const CheckRow = ({ check }: { check: CheckRecord }) => {
  const { measurements, componentScreens } = useTexts()
  const { checks } = measurements
  const { results, errors, row, test } = componentScreens
  const { facts, fill, number } = useFormats()
  const preciseTime = usePreciseTime()
  const { status, responseTime, statusCode, value, error, trigger, location } = check
  const details = [
    statusCode === null ? null : fill(test.code, { code: statusCode }),
    value == null ? null : number(value),
    error === null ? null : errors[error],
    trigger === 'manual' ? checks.manual : null,
  ]
  return (
    <tr>
      <td>{preciseTime(check.timestamp)}</td>
      <td>
        <span className={classes.result}>
          <StateMark state={checkStates[status]} /> {results[status]}
        </span>
      </td>
      <td>
        {responseTime === null
          ? '–'
          : fill(row.milliseconds, { value: number(Math.round(responseTime)) })}
      </td>
      <td>{facts(details.filter((detail) => detail !== null)) || '–'}</td>
      <td>{location}</td>
    </tr>
  )
}

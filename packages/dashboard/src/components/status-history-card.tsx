/** Periods with one status, newest first. */
import { keepPreviousData, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { useWindowText } from '../maintenances/window-text.ts'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { statusHistoryQuery } from './queries.ts'
import { recordedSourceOf, type StatusPeriodData } from './status-source.ts'
import type { ComponentData } from './tree.ts'
import { useDuration } from './use-duration.ts'

const FIRST_PERIODS = 8
const MAX_PERIODS = 100

export const StatusHistoryCard = ({ component: { id, type } }: { component: ComponentData }) => {
  const texts = useTexts()
  const { history } = texts.measurements
  const { detail } = texts.componentScreens
  const { facts, fill, time } = useFormats()
  const durationOf = useDuration()
  const windowText = useWindowText()
  const [size, setSize] = useState(FIRST_PERIODS)
  const { data } = useQuery({ ...statusHistoryQuery(id, size), placeholderData: keepPreviousData })
  if (data === undefined) return null
  const factsOf = (period: StatusPeriodData) => {
    const { startedAt, endedAt, seconds } = period
    const source = recordedSourceOf(type, period)
    const bounds =
      endedAt === null
        ? fill(history.ongoing, { time: time(startedAt) })
        : windowText(startedAt, endedAt)
    return [bounds, durationOf(seconds), ...(source === null ? [] : [detail.sources[source]])]
  }
  return (
    <Card title={history.title}>
      <ol className={classes.rows}>
        {data.data.map((period) => (
          <li key={period.startedAt}>
            <StateMark state={componentStates[period.status]} />
            <span>{texts.components[period.status]}</span>
            <span className={classes.quiet}>{facts(factsOf(period))}</span>
          </li>
        ))}
      </ol>
      {data.meta.total > data.data.length && size < MAX_PERIODS && (
        <Button emphasis="quiet" onPress={() => setSize(MAX_PERIODS)}>
          {history.more}
        </Button>
      )}
    </Card>
  )
}

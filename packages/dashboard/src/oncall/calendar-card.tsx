/** Calendar of a schedule: two weeks or a month as lanes, and as a list of shifts. */
import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Problem } from '../app/problem.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Skeleton } from '../kit/screen.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { browserZone } from '../kit/zoned-time.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import classes from './calendar.module.css'
import { CalendarLanes } from './calendar-lanes.tsx'
import type { Span } from './lanes.ts'
import type { OverrideDraft } from './override-dialog.tsx'
import { daysOf, type Period, periods } from './periods.ts'
import { type Schedule, timelineQuery } from './queries.ts'
import { ShiftList } from './shift-list.tsx'
import { useZonedFormats } from './zoned-formats.tsx'

interface CalendarCardProps {
  schedule: Schedule
  /** Null if the role does not permit it. */
  onEdit: ((draft: OverrideDraft) => void) | null
}

export const CalendarCard = ({ schedule, onEdit }: CalendarCardProps) => {
  const { onCall: texts } = useTexts()
  const [view, setView] = useState<CalendarView>({
    period: 'weeks',
    offset: 0,
    zone: browserZone(),
  })
  const days = daysOf(view, Date.now(), view.zone)
  const span = { startsAt: days[0] ?? 0, endsAt: days.at(-1) ?? 0 }
  return (
    <Card title={texts.calendar}>
      <CalendarControls schedule={schedule} view={view} span={span} onChange={setView} />
      <Calendar schedule={schedule} days={days} span={span} view={view} onEdit={onEdit} />
    </Card>
  )
}

interface CalendarView {
  period: Period
  /** Number of periods after the present one. */
  offset: number
  zone: string
}

interface CalendarControlsProps {
  schedule: Schedule
  view: CalendarView
  span: Span
  onChange(view: CalendarView): void
}

const CalendarControls = ({ schedule, view, span, onChange }: CalendarControlsProps) => {
  const { onCall: texts } = useTexts()
  const { days } = useZonedFormats()
  const { fill } = useFormats()
  const move = (by: number) => onChange({ ...view, offset: view.offset + by })
  const zones = [...new Set([browserZone(), schedule.timezone])]
  return (
    <div className={classes.controls}>
      <div className={classes.moves}>
        <Button onPress={() => move(-1)}>{texts.previous}</Button>
        <Button onPress={() => onChange({ ...view, offset: 0 })} isDisabled={view.offset === 0}>
          {texts.today}
        </Button>
        <Button onPress={() => move(1)}>{texts.following}</Button>
      </div>
      <p className={classes.period} aria-live="polite">
        {days(span.startsAt, span.endsAt - 1, view.zone)}
      </p>
      <Segmented
        label={texts.period}
        options={periods.map((value) => ({ value, label: texts.periods[value] }))}
        value={view.period}
        onChange={(period) => onChange({ ...view, period, offset: 0 })}
      />
      {zones.length > 1 && (
        <Segmented
          label={texts.timezone}
          options={zones.map((zone) => ({
            value: zone,
            label: zone === schedule.timezone ? zone : fill(texts.myZone, { zone }),
          }))}
          value={view.zone}
          onChange={(zone) => onChange({ ...view, zone })}
        />
      )}
    </div>
  )
}

interface CalendarProps extends CalendarCardProps {
  days: readonly number[]
  span: Span
  view: CalendarView
}

const Calendar = ({ schedule, days, span, view, onEdit }: CalendarProps) => {
  const [from, to] = [new Date(span.startsAt), new Date(span.endsAt)]
  const range = { from: from.toISOString(), to: to.toISOString() }
  const { data, error, refetch } = useQuery(timelineQuery(schedule.id, range))
  // Data of the previous period are shown until those of the next one have arrived.
  const isCurrent = data !== undefined && Date.parse(data.from) === span.startsAt
  const timeline = useMemo(() => (isCurrent ? data : undefined), [isCurrent, data])
  if (timeline === undefined) {
    return error === null ? <Skeleton rows={6} /> : <Problem error={error} onRetry={refetch} />
  }
  const props = { schedule, timeline, span, onEdit }
  return (
    <>
      <CalendarLanes {...props} days={days} period={view.period} zone={view.zone} />
      <ShiftList {...props} />
    </>
  )
}

/**
 * Lanes of a calendar for the mouse: the effective schedule, overrides and layers. The list of
 * shifts and the dialogs are their equivalent for the keyboard and for screen readers.
 */
import type { CSSProperties } from 'react'
import { Truncated } from '../kit/truncated.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './calendar.module.css'
import { entriesOf, fractionsOf, type Span, spanOf, type Timeline, tonesOf } from './lanes.ts'
import { type Names, useMemberNames } from './names.ts'
import type { OverrideDraft } from './override-dialog.tsx'
import type { Period } from './periods.ts'
import type { Schedule } from './queries.ts'
import { useRangeDrag } from './range-drag.ts'
import { useZonedFormats } from './zoned-formats.tsx'

const HOUR_MS = 3_600_000
/** Steps of a selection by the mouse. */
const stepsMs: Record<Period, number> = { weeks: HOUR_MS, month: 3 * HOUR_MS }

interface CalendarLanesProps {
  schedule: Schedule
  timeline: Timeline
  span: Span
  /** Starts of the days, and the end of the last one. */
  days: readonly number[]
  period: Period
  zone: string
  onEdit: ((draft: OverrideDraft) => void) | null
}

export const CalendarLanes = (props: CalendarLanesProps) => {
  const { schedule, timeline, span, days, period, zone, onEdit } = props
  const { onCall: texts } = useTexts()
  const names = useMemberNames()
  const lanes = lanesOf(schedule, timeline, { span, names, texts })
  const drag = useRangeDrag({ span, stepMs: stepsMs[period], zone, ...actionsOf(props) })
  return (
    <div className={classes.calendar} aria-hidden="true">
      <div className={classes.labels}>
        {lanes.map(({ id, label }) => (
          <div key={id} className={classes.label}>
            <Truncated>{label}</Truncated>
          </div>
        ))}
      </div>
      <div
        className={classes.tracks}
        data-editable={onEdit !== null || undefined}
        {...(onEdit !== null && drag.handlers)}
      >
        <Days days={days} span={span} period={period} zone={zone} />
        {lanes.map(({ id, bars }) => (
          <div key={id} className={classes.track} data-lane={id}>
            {bars.map((bar) => (
              <LaneBar
                key={bar.overrideId ?? bar.startsAt}
                bar={bar}
                span={span}
                tones={tonesOf(timeline)}
              />
            ))}
          </div>
        ))}
        <Mark
          className={classes.now}
          span={{ startsAt: Date.now(), endsAt: span.endsAt }}
          in={span}
        />
        {drag.selection !== null && (
          <Selection selection={drag.selection} span={span} zone={zone} />
        )}
      </div>
    </div>
  )
}

/** A click on an override opens it; one on another shift, or a drag, proposes a new override. */
const actionsOf = ({ timeline, onEdit }: CalendarLanesProps) => ({
  onSelect: ({ startsAt, endsAt }: Span) => onEdit?.(newOverride({ startsAt, endsAt })),
  onClick(bar: DOMStringMap) {
    const override = timeline.overrides.find(({ id }) => id === bar.override)
    if (override !== undefined) onEdit?.(override)
    else if (bar.start !== undefined) {
      onEdit?.(newOverride({ startsAt: Number(bar.start), endsAt: Number(bar.end) }))
    }
  },
})

export const newOverride = ({ startsAt, endsAt }: Span): OverrideDraft => ({
  id: null,
  userId: null,
  startsAt: new Date(startsAt).toISOString(),
  endsAt: new Date(endsAt).toISOString(),
})

interface Bar extends Span {
  /** Null for a gap. */
  userId: string | null
  name: string
  overrideId?: string
}

interface Lane {
  id: string
  label: string
  bars: Bar[]
}

interface LaneContext {
  span: Span
  names: Names
  texts: ReturnType<typeof useTexts>['onCall']
}

const lanesOf = (
  { layers }: Schedule,
  timeline: Timeline,
  { span, names, texts }: LaneContext,
): Lane[] => {
  // The newest one applies, and is drawn last.
  const overrides = [...timeline.overrides].reverse().map((override) => ({
    ...spanOf(override),
    userId: override.userId,
    name: names.nameOf(override.userId),
    overrideId: override.id,
  }))
  const effective = entriesOf(timeline.shifts, span).map(({ shift, ...entry }) => ({
    ...entry,
    userId: shift?.userId ?? null,
    name: shift?.userName ?? texts.gap,
  }))
  const ofLayers = [...layers]
    .sort((left, right) => left.order - right.order)
    .reverse()
    .map(({ id, name }) => {
      const shifts = timeline.layers.find(({ layerId }) => layerId === id)?.shifts ?? []
      const bars = shifts.map((shift) => ({
        ...spanOf(shift),
        userId: shift.userId,
        name: shift.userName,
      }))
      return { id, label: name, bars }
    })
  return [
    { id: 'effective', label: texts.effective, bars: effective },
    { id: 'overrides', label: texts.overrides, bars: overrides },
    ...ofLayers,
  ]
}

interface LaneBarProps {
  bar: Bar
  span: Span
  tones: ReadonlyMap<string, number>
}

const LaneBar = ({ bar, span, tones }: LaneBarProps) => {
  const style = styleOf(bar, span)
  if (style === null) return null
  const tone = bar.userId === null ? classes.gap : classes[`tone${tones.get(bar.userId) ?? 0}`]
  return (
    <span
      className={`${classes.bar} ${tone}`}
      style={style}
      data-override={bar.overrideId}
      data-start={bar.startsAt}
      data-end={bar.endsAt}
    >
      <Truncated>{bar.name}</Truncated>
    </span>
  )
}

/** Position as custom properties, which the style sheet of the calendar uses. */
const styleOf = (bar: Span, span: Span): CSSProperties | null => {
  const fractions = fractionsOf(bar, span)
  if (fractions === null) return null
  return { '--start': fractions.start, '--length': fractions.length } as CSSProperties
}

interface MarkProps {
  className: string | undefined
  span: Span
  in: Span
}

const Mark = ({ className, span, in: whole }: MarkProps) => {
  const style = span.startsAt < whole.startsAt ? null : styleOf(span, whole)
  return style && <span className={className} style={style} />
}

type DaysProps = Pick<CalendarLanesProps, 'days' | 'span' | 'period' | 'zone'>

const Days = ({ days, span, period, zone }: DaysProps) => {
  const { day: dayText } = useZonedFormats()
  const now = Date.now()
  return (
    <div className={classes.days}>
      {days.slice(0, -1).map((startsAt, index) => {
        const day = { startsAt, endsAt: days[index + 1] ?? span.endsAt }
        const isToday = day.startsAt <= now && now < day.endsAt
        return (
          <span
            key={startsAt}
            className={classes.day}
            style={styleOf(day, span) ?? undefined}
            data-today={isToday || undefined}
          >
            {dayText(startsAt, zone, period)}
          </span>
        )
      })}
    </div>
  )
}

const Selection = ({ selection, span, zone }: { selection: Span; span: Span; zone: string }) => {
  const { range } = useZonedFormats()
  return (
    <span className={classes.selection} style={styleOf(selection, span) ?? undefined}>
      <span className={classes.selectionText}>
        {range(selection.startsAt, selection.endsAt, zone)}
      </span>
    </span>
  )
}

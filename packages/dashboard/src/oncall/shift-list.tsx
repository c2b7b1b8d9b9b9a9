/** Shifts of a period as a list: those of the effective schedule, or of one layer. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Select } from '../kit/select.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import calendarClasses from './calendar.module.css'
import { newOverride } from './calendar-lanes.tsx'
import { type Entry, entriesOf, type Span, spanOf, type Timeline, tonesOf } from './lanes.ts'
import classes from './on-call.module.css'
import type { OverrideDraft } from './override-dialog.tsx'
import type { Schedule } from './queries.ts'
import { PeriodTimes } from './zoned-formats.tsx'

/** Shifts that are shown at first. */
const ROWS = 10
const EFFECTIVE = 'effective'

interface ShiftListProps {
  schedule: Schedule
  timeline: Timeline
  span: Span
  onEdit: ((draft: OverrideDraft) => void) | null
}

export const ShiftList = ({ schedule, timeline, span, onEdit }: ShiftListProps) => {
  const { onCall: texts } = useTexts()
  const { plural } = useFormats()
  const [lane, setLane] = useState(EFFECTIVE)
  const [isWhole, setWhole] = useState(false)
  const entries = entriesOfLane(timeline, lane, span)
  const shown = isWhole ? entries : entries.slice(0, ROWS)
  const tones = tonesOf(timeline)
  return (
    <section className={calendarClasses.list} aria-label={texts.shifts}>
      <header className={calendarClasses.listHead}>
        <h3>{texts.shifts}</h3>
        <Select
          label={texts.lane}
          isLabelHidden
          options={[
            { value: EFFECTIVE, label: texts.effective },
            ...schedule.layers.map(({ id, name }) => ({ value: id, label: name })),
          ]}
          value={lane}
          onChange={setLane}
        />
      </header>
      {entries.length === 0 && <p className={classes.calm}>{texts.noShifts}</p>}
      <ul>
        {shown.map((entry) => (
          <ShiftRow
            key={entry.startsAt}
            entry={entry}
            schedule={schedule}
            tone={tones.get(entry.shift?.userId ?? '')}
            onOverride={onEdit && (() => onEdit(newOverride(entry)))}
          />
        ))}
      </ul>
      {entries.length > shown.length && (
        <div className={classes.body}>
          <Button onPress={() => setWhole(true)}>
            {plural(texts.moreShifts, entries.length - shown.length)}
          </Button>
        </div>
      )}
    </section>
  )
}

/** Gaps are those of the effective schedule; a layer is off duty between its shifts. */
const entriesOfLane = (timeline: Timeline, lane: string, span: Span): Entry[] => {
  if (lane === EFFECTIVE) return entriesOf(timeline.shifts, span)
  const shifts = timeline.layers.find(({ layerId }) => layerId === lane)?.shifts ?? []
  return shifts.map((shift) => ({ ...spanOf(shift), shift }))
}

interface ShiftRowProps {
  entry: Entry
  schedule: Schedule
  tone: number | undefined
  onOverride: (() => void) | null
}

const ShiftRow = ({ entry, schedule, tone, onOverride }: ShiftRowProps) => {
  const { onCall: texts } = useTexts()
  const { fill } = useFormats()
  const { shift, startsAt, endsAt } = entry
  const name = shift?.userName ?? texts.gap
  const layer = schedule.layers.find(({ id }) => id === shift?.layerId)
  const toneClass = tone === undefined ? 'gap' : (`tone${tone}` as const)
  return (
    <li className={classes.row}>
      <span className={`${calendarClasses.dot} ${calendarClasses[toneClass]}`} />
      <div className={calendarClasses.shift}>
        <strong>
          <bdi>{name}</bdi>
        </strong>
        <PeriodTimes
          since={new Date(startsAt).toISOString()}
          until={new Date(endsAt).toISOString()}
          zone={schedule.timezone}
        />
        <span className={classes.quiet}>
          {shift?.isOverride === true ? texts.override : layer?.name}
        </span>
      </div>
      {onOverride !== null && endsAt > Date.now() && (
        <Button
          emphasis="quiet"
          aria-label={fill(texts.overrideShift, { name })}
          onPress={onOverride}
        >
          {texts.doOverride}
        </Button>
      )}
    </li>
  )
}

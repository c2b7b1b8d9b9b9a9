/** Recurrence in words with its next windows, before it is saved. */
import { fromAbsolute } from '@internationalized/date'
import { useQuery } from '@tanstack/react-query'
import { ProblemNote } from '../app/problem-note.tsx'
import { useDelayed } from '../composer/use-delayed.ts'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import type { MaintenanceValues } from './draft.ts'
import classes from './maintenances.module.css'
import { type PreviewBody, type RecurrenceData, recurrencePreviewQuery } from './queries.ts'
import { useRecurrenceText } from './recurrence-text.ts'
import { useWindowText } from './window-text.ts'

const DELAY_MS = 300

interface RecurrencePreviewProps {
  values: Pick<MaintenanceValues, 'scheduledFor' | 'scheduledUntil'>
  recurrence: RecurrenceData
}

export const RecurrencePreview = ({ values, recurrence }: RecurrencePreviewProps) => {
  const { form, recurrence: texts } = useTexts().maintenance
  const recurrenceText = useRecurrenceText()
  const { scheduledFor, scheduledUntil } = values
  // Compared as text, because each change of the form makes another object.
  const delayed = useDelayed(JSON.stringify({ scheduledFor, scheduledUntil, recurrence }), DELAY_MS)
  const { data, error } = useQuery(recurrencePreviewQuery(JSON.parse(delayed) as PreviewBody))
  return (
    <section className={classes.preview} aria-label={texts.preview} role="status">
      <p>
        <strong>{recurrenceText(recurrence, scheduledFor)}</strong>
      </p>
      {error === null ? (
        data !== undefined && <Windows preview={data} timeZone={recurrence.timezone} />
      ) : (
        <ProblemNote
          error={error}
          labels={{
            scheduledFor: form.start,
            scheduledUntil: form.end,
            'recurrence.until': form.ends,
          }}
        />
      )}
    </section>
  )
}

interface WindowsProps {
  preview: {
    occurrences: { scheduledFor: string; scheduledUntil: string }[]
    skippedTimes: string[]
  }
  timeZone: string
}

const Windows = ({ preview: { occurrences, skippedTimes }, timeZone }: WindowsProps) => {
  const { recurrence: texts } = useTexts().maintenance
  const { fill } = useFormats()
  const { formatLocale: locale } = useLanguage()
  const windowText = useWindowText(timeZone)
  const times = new Intl.DateTimeFormat(locale, {
    dateStyle: 'full',
    timeStyle: 'short',
    timeZone: 'UTC',
  })
  if (occurrences.length === 0) return <p className={classes.quiet}>{texts.ended}</p>
  return (
    <>
      <ol aria-label={texts.next}>
        {occurrences.map(({ scheduledFor, scheduledUntil }) => (
          <li key={scheduledFor}>
            {windowText(scheduledFor, scheduledUntil)}
            {hasClockChange(scheduledFor, scheduledUntil, timeZone) && (
              <span className={classes.clockChange}>{texts.clockChange}</span>
            )}
          </li>
        ))}
      </ol>
      {skippedTimes.map((time) => (
        <p key={time} className={classes.quiet}>
          {fill(texts.skipped, { time: times.format(new Date(`${time}Z`)) })}
        </p>
      ))}
    </>
  )
}

/** Whether the clock changes within the window. */
const hasClockChange = (from: string, until: string, timeZone: string): boolean =>
  fromAbsolute(Date.parse(from), timeZone).offset !==
  fromAbsolute(Date.parse(until), timeZone).offset

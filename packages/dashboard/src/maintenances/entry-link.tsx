/** Maintenance on a day of the calendar. */
import { Link } from '@tanstack/react-router'
import { Truncated } from '../kit/truncated.tsx'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import type { CalendarEntry } from './calendar-days.ts'
import classes from './maintenances.module.css'

export const EntryLink = ({ entry }: { entry: CalendarEntry }) => {
  const { calendar: texts } = useTexts().maintenance
  const { maintenances: names } = useTexts()
  const { formatLocale: locale } = useLanguage()
  const { facts, labelled } = useFormats()
  const { id, title, status, scheduledFor, scheduledUntil } = entry
  const times = new Intl.DateTimeFormat(locale, { timeStyle: 'short' })
  const { isContinued, isContinuing } = entry
  const from = times.format(new Date(scheduledFor))
  const until = times.format(new Date(scheduledUntil))
  const shown = isContinued ? (isContinuing ? '…' : `… ${until}`) : from
  const statusText = status === 'expected' ? texts.expected : names[status]
  const unseen = facts([isContinued ? texts.continued : until, statusText])
  return (
    <Link to="/maintenances/$id" params={{ id }} className={`${classes.entry} ${classes[status]}`}>
      <span className={classes.entryTime}>
        {shown}
        <span className="visually-hidden"> {labelled(unseen, '')}</span>
      </span>
      <Truncated>{title}</Truncated>
    </Link>
  )
}

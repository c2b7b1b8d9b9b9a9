/** Facts of a maintenance, its series and its components. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import layout from '../incidents/incidents.module.css'
import { Card } from '../kit/card.tsx'
import { StateMark } from '../kit/icon.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { windowsOf } from './calendar-days.ts'
import classes from './maintenances.module.css'
import { calendarQuery, type MaintenanceData, type RecurrenceData } from './queries.ts'
import { useRecurrenceText } from './recurrence-text.ts'
import { maintenanceMarks } from './states.ts'
import { useWindowText } from './window-text.ts'

interface CardProps {
  maintenance: MaintenanceData
}

export const FactsCard = ({ maintenance }: CardProps) => {
  const { maintenance: texts, maintenances: names } = useTexts()
  const { list, plural, time } = useFormats()
  const windowText = useWindowText()
  const { status, scheduledFor, scheduledUntil, remindBeforeMinutes, url } = maintenance
  const { autoStart, autoComplete, setUnderMaintenance } = maintenance
  const automatic = [
    autoStart && texts.facts.starts,
    autoComplete && texts.facts.completes,
    setUnderMaintenance && texts.facts.setsStatus,
  ].filter((text) => text !== false)
  return (
    <Card title={texts.facts.title}>
      <dl className={layout.facts}>
        <Fact name={texts.facts.status}>
          <StateMark state={maintenanceMarks[status]} /> {names[status]}
        </Fact>
        <Fact name={texts.facts.window}>{windowText(scheduledFor, scheduledUntil)}</Fact>
        {maintenance.startedAt !== null && (
          <Fact name={texts.facts.started}>{time(maintenance.startedAt)}</Fact>
        )}
        {maintenance.completedAt !== null && (
          <Fact name={texts.facts.completed}>{time(maintenance.completedAt)}</Fact>
        )}
        {maintenance.cancelledAt !== null && (
          <Fact name={texts.facts.cancelled}>{time(maintenance.cancelledAt)}</Fact>
        )}
        <Fact name={texts.facts.automatic}>
          {automatic.length === 0 ? texts.facts.nothing : list(automatic)}
        </Fact>
        <Fact name={texts.facts.notifies}>
          {maintenance.notifySubscribers ? texts.facts.subscribers : texts.facts.channels}
        </Fact>
        <Fact name={texts.form.reminders}>
          {plural(texts.facts.reminders, remindBeforeMinutes.length)}
        </Fact>
      </dl>
      {url !== null && (
        <p className={classes.calm}>
          <a href={url}>{texts.facts.onPage}</a>
        </p>
      )}
    </Card>
  )
}

const Fact = ({ name, children }: { name: string; children: ReactNode }) => (
  <div>
    <dt>{name}</dt>
    <dd>{children}</dd>
  </div>
)

/** Recurrence of the first maintenance, or the link to it. */
export const SeriesCard = ({ maintenance }: CardProps) => {
  const { maintenance: texts } = useTexts()
  const { recurrence, recurrenceOf } = maintenance
  if (recurrence !== null)
    return <RecurrenceCard maintenance={maintenance} recurrence={recurrence} />
  if (recurrenceOf === null) return null
  return (
    <Card title={texts.series.title}>
      <p className={classes.calm}>
        <Link to="/maintenances/$id" params={{ id: recurrenceOf }}>
          {texts.series.first}
        </Link>
      </p>
    </Card>
  )
}

const DAY_MS = 86_400_000
const SHOWN_DAYS = 62
const SHOWN_OCCURRENCES = 6

const RecurrenceCard = ({
  maintenance,
  recurrence,
}: CardProps & { recurrence: RecurrenceData }) => {
  const { maintenance: texts } = useTexts()
  const recurrenceText = useRecurrenceText()
  const windowText = useWindowText(recurrence.timezone)
  const next = useNextOccurrences(maintenance.id)
  return (
    <Card title={texts.series.title}>
      <p className={layout.calm}>
        <strong>{recurrenceText(recurrence, maintenance.scheduledFor)}</strong>
      </p>
      {next.length > 0 && (
        <ul className={classes.occurrences} aria-label={texts.recurrence.next}>
          {next.map(({ key, id, status, scheduledFor, scheduledUntil }) => (
            <li key={key}>
              {status === 'expected' ? (
                windowText(scheduledFor, scheduledUntil)
              ) : (
                <Link to="/maintenances/$id" params={{ id }}>
                  {windowText(scheduledFor, scheduledUntil)}
                </Link>
              )}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

/** Occurrences from today on, those that are maintenances first. */
const useNextOccurrences = (firstId: string) => {
  // To the day, so that each render asks for the same range.
  const today = new Date().setUTCHours(0, 0, 0, 0)
  const range = {
    from: new Date(today).toISOString(),
    to: new Date(today + SHOWN_DAYS * DAY_MS).toISOString(),
  }
  const { data } = useQuery(calendarQuery(range, {}))
  if (data === undefined) return []
  return windowsOf(
    data.maintenances.filter(({ recurrenceOf }) => recurrenceOf === firstId),
    data.expected.filter(({ recurrenceOf }) => recurrenceOf === firstId),
  ).slice(0, SHOWN_OCCURRENCES)
}

export const ListedComponentsCard = ({ maintenance: { components } }: CardProps) => {
  const { maintenance: texts, components: names } = useTexts()
  const { number } = useFormats()
  return (
    <Card title={texts.form.components} count={number(components.length)}>
      {components.length === 0 ? (
        <p className={layout.calm}>{texts.form.noComponents}</p>
      ) : (
        <ul className={layout.components}>
          {components.map(({ id, name, status }) => (
            <li key={id}>
              <StateMark state={componentStates[status]} />
              <bdi>{name}</bdi>
              <span className={layout.fact}>{names[status]}</span>
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

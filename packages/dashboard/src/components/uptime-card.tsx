/** Uptime of the last 90 days, one bar per day. */
import { useQuery } from '@tanstack/react-query'
import { Card } from '../kit/card.tsx'
import { StateMark, stateClass } from '../kit/icon.tsx'
import { componentStates } from '../overview/states.ts'
import { useFormats, useLanguage, useTexts } from '../texts/texts.tsx'
import classes from './detail.module.css'
import { uptimeQuery } from './queries.ts'

/** Days with downtime that are listed in words, newest first. */
const MAX_LISTED_DAYS = 10
const MINUTE_SECONDS = 60

export const UptimeCard = ({ id }: { id: string }) => {
  const texts = useTexts()
  const { uptime } = texts.measurements
  const { fill, number, percent } = useFormats()
  const { formatLocale: locale } = useLanguage()
  const { data } = useQuery(uptimeQuery(id))
  if (data === undefined || data.percentage === null) return null
  const dates = new Intl.DateTimeFormat(locale, { dateStyle: 'medium', timeZone: 'UTC' })
  const textOf = ({ date, status, downtimeSeconds }: (typeof data.days)[number]) =>
    fill(downtimeSeconds > 0 ? uptime.day : uptime.noDowntime, {
      date: dates.format(new Date(date)),
      status: status === 'no_data' ? uptime.noData : texts.components[status],
      minutes: number(Math.ceil(downtimeSeconds / MINUTE_SECONDS)),
    })
  const days = { days: number(data.days.length) }
  const summary = fill(uptime.summary, { ...days, percentage: percent(data.percentage) })
  const disrupted = data.days.filter(({ downtimeSeconds }) => downtimeSeconds > 0).reverse()
  return (
    <Card title={uptime.title} aside={summary}>
      <div className={classes.bars} role="img" aria-label={summary}>
        {data.days.map((day) => (
          <span
            key={day.date}
            className={
              day.status === 'no_data' ? classes.noData : stateClass(componentStates[day.status])
            }
            title={textOf(day)}
          />
        ))}
      </div>
      <p className={classes.barEnds}>
        <span>{fill(uptime.oldest, days)}</span>
        <span>{uptime.today}</span>
      </p>
      {disrupted.length > 0 && (
        <ul className={classes.rows}>
          {disrupted.slice(0, MAX_LISTED_DAYS).map((day) => (
            <li key={day.date}>
              <StateMark state={day.status === 'no_data' ? 'none' : componentStates[day.status]} />
              {textOf(day)}
            </li>
          ))}
        </ul>
      )}
    </Card>
  )
}

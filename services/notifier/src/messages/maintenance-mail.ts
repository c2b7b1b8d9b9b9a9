/** The mail about a maintenance: what will be done when, or that it is. */
import type { MaintenanceFact, MaintenanceStatus } from '@status-page/contracts'
import { type MailContent, utc } from './mail.ts'
import { type MailContext, newsMail } from './news-mail.ts'
import type { ToldOf } from './webhook-body.ts'

type Told = ToldOf<'maintenance'>

const statusNames: Record<MaintenanceStatus, string> = {
  scheduled: 'Scheduled',
  in_progress: 'In progress',
  verifying: 'Verifying',
  completed: 'Completed',
  cancelled: 'Cancelled',
}

/** By the kind of the event; an update says what makes it news. */
const headlines: Record<string, string> = {
  'maintenance.scheduled': 'Maintenance scheduled',
  'maintenance.started': 'Maintenance started',
  'maintenance.completed': 'Maintenance completed',
  'maintenance.reminder': 'Maintenance begins soon',
}

const newsNames: Record<NonNullable<MaintenanceFact['news']>, string> = {
  cancelled: 'Maintenance cancelled',
  rescheduled: 'Maintenance rescheduled',
}

const COLOUR = '#1f5fa8'
const OVER_COLOUR = '#1b6e3c'

export const maintenanceMail = (told: Told, context: MailContext): MailContent => {
  const { id, title, message, status, url, news } = told.maintenance
  return newsMail(
    {
      ...{ noun: 'maintenance', id, title, message, url },
      headline: headlines[told.kind] ?? (news === null ? 'Maintenance updated' : newsNames[news]),
      facts: factsOf(told),
      colour: status === 'completed' || status === 'cancelled' ? OVER_COLOUR : COLOUR,
    },
    context,
  )
}

const factsOf = ({ maintenance, occurredAt }: Told): [string, string][] => {
  const { status, components, scheduledFor, scheduledUntil } = maintenance
  const rows: [string, string][] = [['Status', statusNames[status]]]
  if (components.length > 0) {
    rows.push(['Affected', components.map(({ name }) => name).join(', ')])
  }
  rows.push(['From', utc(new Date(scheduledFor))], ['Until', utc(new Date(scheduledUntil))])
  for (const [name, time] of [
    ['Started', maintenance.startedAt],
    ['Completed', maintenance.completedAt],
    ['Cancelled', maintenance.cancelledAt],
  ] as const) {
    if (time !== null) rows.push([name, utc(new Date(time))])
  }
  rows.push(['Posted', utc(occurredAt)])
  return rows
}

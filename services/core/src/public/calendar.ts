/** Calendar of a page (RFC 5545): one event per maintenance, in UTC, with a stable UID. */
import ical, { ICalEventStatus } from 'ical-generator'
import { withoutForbidden } from '../escape.ts'
import type { MaintenanceRow } from '../tables.ts'

export interface Calendar {
  name: string
  url: string
  /** Maintenances with the URLs of their pages. */
  maintenances: readonly { maintenance: CalendarMaintenance; url: string }[]
}

export type CalendarMaintenance = Pick<
  MaintenanceRow,
  | 'id'
  | 'version'
  | 'title'
  | 'message'
  | 'status'
  | 'scheduledFor'
  | 'scheduledUntil'
  | 'createdAt'
  | 'updatedAt'
>

/** Recommended refresh interval of the calendar. */
const REFRESH_SECONDS = 3600

export const renderCalendar = ({ name, url, maintenances }: Calendar): string => {
  const calendar = ical({
    // The library escapes texts of events only.
    name: name.replace(/[\\;,]/g, '\\$&'),
    url,
    ttl: REFRESH_SECONDS,
    prodId: { company: 'status-page', product: 'status-page-service', language: 'EN' },
  })
  for (const { maintenance, url } of maintenances) {
    calendar.createEvent({
      id: maintenance.id,
      sequence: maintenance.version,
      start: maintenance.scheduledFor,
      end: maintenance.scheduledUntil,
      // Taken from the maintenance, so that an unchanged calendar has the same bytes.
      stamp: maintenance.updatedAt,
      created: maintenance.createdAt,
      lastModified: maintenance.updatedAt,
      summary: withoutForbidden(maintenance.title),
      description: withoutForbidden(maintenance.message),
      url,
      status:
        maintenance.status === 'cancelled' ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    })
  }
  return `${calendar.toString()}\r\n`
}

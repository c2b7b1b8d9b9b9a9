/** Calendar of a page (RFC 5545): one event per maintenance, in UTC, with a stable UID. */
import type { Cooperative } from '@status-page/contracts'
import { stripInvalidXmlCharacters } from '@status-page/html'
import { messagePlainText } from '@status-page/markdown'
import { joinCooperatively } from '@status-page/service'
import ical, { foldLines, type ICalCalendar, ICalEventStatus } from 'ical-generator'
import type { MaintenanceRow } from '../../tables.ts'

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

const END = 'END:VCALENDAR'

/** Events are rendered one by one: the library takes two seconds for 500 long ones. */
export const renderCalendar = (calendar: Calendar): Cooperative<Buffer> =>
  joinCooperatively(calendarPieces(calendar))

function* calendarPieces({ name, url, maintenances }: Calendar): Iterable<string> {
  const calendar = ical({
    // The library escapes texts of events only.
    name: name.replace(/[\\;,]/g, '\\$&'),
    url,
    ttl: REFRESH_SECONDS,
    prodId: { company: 'status-page', product: 'status-page-service', language: 'EN' },
  })
  yield calendar.toString().slice(0, -END.length)
  for (const entry of maintenances) yield eventText(calendar, entry)
  yield `${END}\r\n`
}

const eventText = (
  calendar: ICalCalendar,
  { maintenance, url }: Calendar['maintenances'][number],
): string =>
  foldLines(
    calendar
      .createEvent({
        id: maintenance.id,
        sequence: maintenance.version,
        start: maintenance.scheduledFor,
        end: maintenance.scheduledUntil,
        // Taken from the maintenance, so that an unchanged calendar has the same bytes.
        stamp: maintenance.updatedAt,
        created: maintenance.createdAt,
        lastModified: maintenance.updatedAt,
        summary: stripInvalidXmlCharacters(maintenance.title),
        description: stripInvalidXmlCharacters(messagePlainText(maintenance.message)),
        url,
        status:
          maintenance.status === 'cancelled'
            ? ICalEventStatus.CANCELLED
            : ICalEventStatus.CONFIRMED,
      })
      .toString(),
  )

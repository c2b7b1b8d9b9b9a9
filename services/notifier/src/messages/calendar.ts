/** A maintenance as an entry of the reader's calendar; the same entry as in the calendar of the page. */
import type { MaintenanceEventData } from '@status-page/contracts'
import { messagePlainText } from '@status-page/markdown'
import ical, { ICalCalendarMethod, ICalEventStatus } from 'ical-generator'
import type { MessageContext } from './context.ts'
import type { CalendarPart } from './mail.ts'
import { toOneLine } from './mail.ts'

interface Entry {
  maintenance: MaintenanceEventData
  /** Time of the event. */
  occurredAt: Date
}

/**
 * Calendar entry of the maintenance. A later version replaces an earlier one in the reader's
 * calendar, as both have one UID (RFC 5545, 3.8.7.4).
 */
export const calendarPart = (
  { maintenance, occurredAt }: Entry,
  { senderName, baseUrl, sequence }: MessageContext,
): CalendarPart => {
  const isCancelled = maintenance.status === 'cancelled'
  const method = isCancelled ? ICalCalendarMethod.CANCEL : ICalCalendarMethod.PUBLISH
  const calendar = ical({
    method,
    prodId: { company: 'status-page', product: 'status-page-service', language: 'EN' },
  })
  calendar.createEvent({
    id: maintenance.id,
    sequence,
    start: new Date(maintenance.scheduledFor),
    end: new Date(maintenance.scheduledUntil),
    stamp: occurredAt,
    summary: printable(maintenance.title),
    description: printable(messagePlainText(maintenance.message)),
    organizer: { name: toOneLine(senderName), email: `status@${new URL(baseUrl).hostname}` },
    status: isCancelled ? ICalEventStatus.CANCELLED : ICalEventStatus.CONFIRMED,
    ...(maintenance.url === null ? {} : { url: maintenance.url }),
  })
  return { method: isCancelled ? 'CANCEL' : 'PUBLISH', content: `${calendar.toString()}\r\n` }
}

/** Removes the control characters that iCalendar forbids; line breaks stay. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
const printable = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f]/g, '')

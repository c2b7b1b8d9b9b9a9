/**
 * Local times of a time zone, which can differ from that of the browser: as a text in the format of
 * the control `datetime-local`, or as the number of ms at which a clock in UTC shows the same time.
 */
import {
  fromAbsolute,
  getLocalTimeZone,
  parseDateTime,
  toCalendarDateTime,
  toZoned,
} from '@internationalized/date'

const TEXT_LENGTH = 'yyyy-mm-ddThh:mm'.length

export const browserZone = (): string => getLocalTimeZone()

export const localTimeOf = (instant: number, timeZone: string): number =>
  instant + fromAbsolute(instant, timeZone).offset

/** Instant of a local time; of a skipped one the time after the jump. */
export const instantOf = (local: number, timeZone: string): number =>
  toZoned(toCalendarDateTime(fromAbsolute(local, 'UTC')), timeZone, 'compatible')
    .toDate()
    .getTime()

/** Local time to the minute. */
export const toZonedText = (iso: string, timeZone: string): string =>
  toCalendarDateTime(fromAbsolute(Date.parse(iso), timeZone))
    .toString()
    .slice(0, TEXT_LENGTH)

/**
 * Time of a local time; null for an incomplete one. A time that a clock change skips is moved by
 * the length of the change, and of two equal ones the first is meant.
 */
export const fromZonedText = (text: string, timeZone: string): string | null => {
  // The parser takes a date without a time as its midnight.
  if (text.length < TEXT_LENGTH) return null
  try {
    return toZoned(parseDateTime(text), timeZone, 'compatible').toAbsoluteString()
  } catch {
    return null
  }
}

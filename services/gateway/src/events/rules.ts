/** Rules of reads of the event log: kinds that a caller may read, and cursors. Pure. */
import {
  clientEventId,
  conflict,
  EARLIEST_CURSOR,
  EVENT_RETENTION_DAYS,
  type Grants,
  grantsMeet,
  invalid,
  missingPermission,
  notFound,
  parseEventCursor,
  readableKinds,
  requirementOfKind,
  type StreamedKind,
  streamedKinds,
} from '@status-page/contracts'

/** Kinds that the caller reads; throws 403 when one that it named, or every kind, is forbidden. */
export const selectKinds = (
  grants: Grants,
  named: readonly StreamedKind[] | undefined,
): StreamedKind[] => {
  const kinds = named ?? readableKinds(grants)
  const forbidden =
    kinds.length === 0
      ? streamedKinds[0]
      : kinds.find((kind) => !grantsMeet(grants, requirementOfKind(kind)))
  if (forbidden !== undefined) throw missingPermission(requirementOfKind(forbidden))
  return [...new Set(kinds)]
}

/** Kinds of a stream that the caller may still read. */
export const permittedKinds = (
  grants: Grants,
  named: readonly StreamedKind[] | undefined,
): StreamedKind[] => {
  const readable = readableKinds(grants)
  return named === undefined ? readable : named.filter((kind) => readable.includes(kind))
}

/** Event id of a cursor, or `earliest`; throws 400 for a malformed one. */
export const readCursor = (cursor: string, field: string): string => {
  const parsed = parseEventCursor(cursor)
  if (parsed !== null) return parsed
  const message = `${field} must be the id of an event or ${EARLIEST_CURSOR}`
  throw invalid({ field, message })
}

/** Cursor as clients receive it; the inverse of `readCursor`. */
export const toClientCursor = (cursor: string): string =>
  cursor === EARLIEST_CURSOR ? cursor : clientEventId(cursor)

const DAY_MS = 86_400_000
const TIME_DIGITS = 12

/** Returns whether the event of a cursor has passed the retention; UUIDv7 begins with its time. */
export const isPastRetention = (cursor: string, now: Date): boolean => {
  if (cursor === EARLIEST_CURSOR) return false
  const createdAtMs = Number.parseInt(cursor.replace('-', '').slice(0, TIME_DIGITS), 16)
  return createdAtMs < now.getTime() - EVENT_RETENTION_DAYS * DAY_MS
}

/** Error of a cursor that the log does not contain, also for an id that no event ever had. */
export const unknownCursor = (eventId: string, now: Date): Error =>
  isPastRetention(eventId, now)
    ? conflict(
        'invalid_state',
        `after is older than ${EVENT_RETENTION_DAYS} days, the retention of events`,
      )
    : notFound()

/** Entry of the list and of the stream as JSON, without parsing the stored payload. */
export const entryText = ({ eventId, payload }: { eventId: string; payload: string }): string =>
  `{"id":"${clientEventId(eventId)}",${payload.slice(1)}`

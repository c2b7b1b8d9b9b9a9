/** Position of a cursor in the event log of the organization. */
import { EARLIEST_CURSOR } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { unknownCursor } from './rules.ts'
import { type LogHead, logHead, oldestPosition, positionOfEvent } from './store.ts'

export interface LogPosition {
  position: number
  /** Null before the first event. */
  head: LogHead | null
}

/**
 * Position of the cursor; throws 404 for an event that the log of the organization does not contain,
 * and 409 for one beyond the retention. The newest event is known also after its retention.
 */
export const positionOfCursor = async (scope: Scope, cursor: string): Promise<LogPosition> => {
  const head = await logHead(scope)
  if (cursor === EARLIEST_CURSOR) {
    const oldest = await oldestPosition(scope)
    return { head, position: oldest === null ? (head?.position ?? 0) : oldest - 1 }
  }
  if (head?.eventId === cursor) return { head, position: head.position }
  const position = await positionOfEvent(scope, cursor)
  if (position === null) throw unknownCursor(cursor, scope.now)
  return { head, position }
}

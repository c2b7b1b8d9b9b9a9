/** Input of the form for updates, and the request that it becomes. Pure. */
import type { IncidentStatus, NewIncidentUpdate } from '@status-page/contracts'
import type { IncidentSnapshot } from './incident-changes.ts'
import type { IncidentDetail } from './queries.ts'

export type AffectedStatus = NonNullable<NewIncidentUpdate['componentStatuses']>[string]

export interface UpdateInput {
  /** Null: the present status. */
  status: IncidentStatus | null
  message: string
  /** Statuses that the update sets, by component. */
  componentStatuses: Record<string, AffectedStatus>
  /** Promise of the next update: none, in some minutes from the post, or at a time. */
  nextUpdate: number | string | null
  /** Null: the default of the service. */
  notifySubscribers: boolean | null
}

/** Request that may have been applied: a repetition uses the same key and body. */
export interface UpdateAttempt {
  key: string
  input: UpdateInput
  body: NewIncidentUpdate
}

/** Unsent input with the state of the incident to which it refers. */
export interface UnsentUpdate {
  input: UpdateInput
  snapshot: IncidentSnapshot
  attempt: UpdateAttempt | null
}

export const emptyInput: UpdateInput = {
  status: null,
  message: '',
  componentStatuses: {},
  nextUpdate: null,
  notifySubscribers: null,
}

const MINUTE_MS = 60_000

export const toUpdateBody = (input: UpdateInput, nowMs: number): NewIncidentUpdate => {
  const { status, message, componentStatuses, nextUpdate, notifySubscribers } = input
  const at =
    typeof nextUpdate === 'number'
      ? new Date(nowMs + nextUpdate * MINUTE_MS).toISOString()
      : nextUpdate
  return {
    ...(status !== null && { status }),
    ...(message.trim() !== '' && { message }),
    ...(Object.keys(componentStatuses).length > 0 && { componentStatuses }),
    ...(at !== null && { nextUpdateAt: at }),
    ...(notifySubscribers !== null && { notifySubscribers }),
  }
}

/** Returns whether the service accepts the input: a status or a message. */
export const isPostable = ({ status, message }: UpdateInput): boolean =>
  status !== null || message.trim() !== ''

/**
 * Returns whether the post notifies subscribers. The default is that of the service: not while an
 * incident that was entered after the fact stays resolved.
 */
export const notifiesSubscribers = (
  input: Pick<UpdateInput, 'status' | 'notifySubscribers'>,
  incident: Pick<IncidentDetail, 'isBackfilled' | 'status'>,
): boolean => {
  const staysResolved =
    incident.status === 'resolved' && (input.status ?? incident.status) === 'resolved'
  return input.notifySubscribers ?? !(incident.isBackfilled && staysResolved)
}

/** Attempt for the input: the unfinished one if the input is the same, else a new one. */
export const attemptFor = (
  input: UpdateInput,
  last: UpdateAttempt | null,
  { nowMs, newKey }: { nowMs: number; newKey(): string },
): UpdateAttempt => {
  const isRepeat = last !== null && JSON.stringify(last.input) === JSON.stringify(input)
  return isRepeat ? last : { key: newKey(), input, body: toUpdateBody(input, nowMs) }
}

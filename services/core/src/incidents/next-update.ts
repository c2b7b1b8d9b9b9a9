/**
 * Announced time of the next update: set by a user, fulfilled by a user's update, cleared on
 * resolution. Pure.
 */
import { type IncidentStatus, invalid } from '@status-page/contracts'
import type { IncidentRow } from '../tables.ts'

export type PromisedUpdate = Pick<IncidentRow, 'nextUpdateAt' | 'overdueNotified'>

export interface Promising {
  /** Undefined leaves the time unchanged. */
  nextUpdateAt?: Date | null | undefined
  /** Status of the incident after the change. */
  status: IncidentStatus
  /** False for automatic updates: only a user's update fulfils the announcement. */
  isKept: boolean
}

export const noPromise: PromisedUpdate = { nextUpdateAt: null, overdueNotified: false }

export const nextUpdateAfter = (
  before: PromisedUpdate,
  promising: Promising,
  now: Date,
): PromisedUpdate => {
  const { nextUpdateAt, status, isKept } = promising
  const isOver = status === 'resolved' || isKept
  const standing = { nextUpdateAt: before.nextUpdateAt, overdueNotified: before.overdueNotified }
  if (nextUpdateAt === undefined) return isOver ? noPromise : standing
  if (nextUpdateAt === null) return noPromise
  if (status === 'resolved') throw refusal('nextUpdateAt cannot be set on a resolved incident')
  if (!isKept && before.nextUpdateAt?.getTime() === nextUpdateAt.getTime()) return standing
  if (nextUpdateAt <= now) throw refusal('nextUpdateAt must be in the future')
  return { nextUpdateAt, overdueNotified: false }
}

const refusal = (message: string) => invalid({ field: 'nextUpdateAt', message })

export const isUpdateOverdue = ({ nextUpdateAt }: PromisedUpdate, now: Date): boolean =>
  nextUpdateAt !== null && nextUpdateAt <= now

/** Raises the version for the overdue event; `updatedAt` does not change. */
export const markOverdue = (incident: IncidentRow, now: Date): IncidentRow | null =>
  incident.overdueNotified || !isUpdateOverdue(incident, now)
    ? null
    : { ...incident, overdueNotified: true, version: incident.version + 1 }

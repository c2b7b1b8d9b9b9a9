/**
 * Announced time of the next update: set by a user, fulfilled by a user's update, cleared on
 * resolution. Pure.
 */
import { type IncidentStatus, invalid, ruleIssue } from '@status-page/contracts'
import type { IncidentRow } from '../tables.ts'

export type NextUpdateState = Pick<IncidentRow, 'nextUpdateAt' | 'overdueNotified'>

export interface NextUpdateChange {
  /** Undefined leaves the time unchanged. */
  nextUpdateAt?: Date | null | undefined
  /** Status of the incident after the change. */
  status: IncidentStatus
  /** False for automatic updates: only a user's update fulfils the announcement. */
  isUpdateByUser: boolean
}

export const noNextUpdate: NextUpdateState = { nextUpdateAt: null, overdueNotified: false }

export const applyNextUpdateChange = (
  before: NextUpdateState,
  change: NextUpdateChange,
  now: Date,
): NextUpdateState => {
  const { nextUpdateAt, status, isUpdateByUser } = change
  const isCleared = status === 'resolved' || isUpdateByUser
  const unchanged = { nextUpdateAt: before.nextUpdateAt, overdueNotified: before.overdueNotified }
  if (nextUpdateAt === undefined) return isCleared ? noNextUpdate : unchanged
  if (nextUpdateAt === null) return noNextUpdate
  if (status === 'resolved') {
    const message = 'nextUpdateAt cannot be set on a resolved incident'
    throw invalid({ field: 'nextUpdateAt', message })
  }
  if (!isUpdateByUser && before.nextUpdateAt?.getTime() === nextUpdateAt.getTime()) return unchanged
  if (nextUpdateAt <= now) throw invalid(ruleIssue('nextUpdateAt', 'future'))
  return { nextUpdateAt, overdueNotified: false }
}

export const isUpdateOverdue = ({ nextUpdateAt }: NextUpdateState, now: Date): boolean =>
  nextUpdateAt !== null && nextUpdateAt <= now

/** Raises the version for the overdue event; `updatedAt` does not change. */
export const markOverdue = (incident: IncidentRow, now: Date): IncidentRow | null =>
  incident.overdueNotified || !isUpdateOverdue(incident, now)
    ? null
    : { ...incident, overdueNotified: true, version: incident.version + 1 }

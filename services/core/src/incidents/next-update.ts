/** The promise of a next update: given, kept by what a person posts, ended by a resolution. Pure. */
import { type IncidentStatus, invalid } from '@status-page/contracts'
import type { IncidentRow } from '../tables.ts'

export type PromisedUpdate = Pick<IncidentRow, 'nextUpdateAt' | 'overdueNotified'>

export interface Promising {
  /** Undefined: not spoken of. */
  nextUpdateAt?: Date | null | undefined
  /** The incident's after the change. */
  status: IncidentStatus
  /** A note of the checks keeps no promise: people gave it. */
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

/** A new version states it; the incident itself, and what people see as its last change, stays. */
export const markOverdue = (incident: IncidentRow, now: Date): IncidentRow | null =>
  incident.overdueNotified || !isUpdateOverdue(incident, now)
    ? null
    : { ...incident, overdueNotified: true, version: incident.version + 1 }

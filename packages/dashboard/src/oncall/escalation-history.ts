/** Escalation of an alert: the steps of its schedule with their state. Pure. */
import type { OnCallAlert, Schedule } from './queries.ts'

const MINUTE_MS = 60_000

export interface HistoryStep {
  /** Time at which the step was, is or would be due. */
  at: string
  delayMinutes: number
  targets: readonly string[]
  /** `ended`: an acknowledgement or resolution came first. */
  state: 'done' | 'next' | 'planned' | 'ended'
}

/**
 * Steps of the escalation as the schedule defines it now. A step without a member on call is
 * skipped at once, so that a later one is done before its time.
 */
export const historyOf = (
  alert: OnCallAlert,
  escalation: Schedule['escalation'],
): HistoryStep[] => {
  const hasStarted = alert.noResponder || alert.assignedUserIds.length > 0
  const done = hasStarted || alert.escalationLevel > 0 ? alert.escalationLevel : -1
  const stateOf = (index: number): HistoryStep['state'] => {
    if (index <= done) return 'done'
    if (alert.status !== 'triggered' || alert.escalatesAt === null) return 'ended'
    return index === done + 1 ? 'next' : 'planned'
  }
  return escalation.map(({ delayMinutes, targets }, index) => {
    const dueAt = Date.parse(alert.triggeredAt) + delayMinutes * MINUTE_MS
    return { at: new Date(dueAt).toISOString(), delayMinutes, targets, state: stateOf(index) }
  })
}

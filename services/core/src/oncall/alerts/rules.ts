/** State changes of an alert: raised, escalated step by step, acknowledged, resolved. Pure. */
import {
  type AlertDetails,
  type AlertSeverity,
  type AlertSource,
  auditChanges,
  conflict,
  type EscalationStep,
  type Impact,
  type IncidentEventData,
  type MonitorEventData,
} from '@status-page/contracts'
import { messagePlainText } from '@status-page/markdown'
import type { OncallAlertRow, OncallScheduleRow } from '../../tables.ts'
import { describeAlert } from './descriptions.ts'

const MINUTE_MS = 60_000

/** Subject of an alert, derived from one event. */
export interface AlertCause {
  dedupKey: string
  title: string
  severity: AlertSeverity
  source: AlertSource
  componentId: string | null
  incidentId: string | null
  /** Explanation shown to the recipients. */
  reason: string | null
  /** Values of a title and a reason that the service writes; null for those of an incident. */
  details: AlertDetails | null
  url: string | null
  since: Date
  /** Affected unmuted components and their ancestors; compared with the scope of a schedule. */
  scopeIds: readonly string[]
}

export const componentKey = (id: string): string => `component:${id}`
export const incidentKey = (id: string): string => `incident:${id}`

/** Null when the component is muted. */
export const causeOfMonitor = (
  { componentId, name, since, reason }: MonitorEventData,
  component: { isMuted: boolean; ancestorIds: readonly string[] },
): AlertCause | null =>
  component.isMuted
    ? null
    : {
        dedupKey: componentKey(componentId),
        ...describeAlert({ event: 'monitor.down', name }, reason),
        severity: 'critical',
        source: 'monitor',
        componentId,
        incidentId: null,
        url: null,
        since: new Date(since),
        scopeIds: [componentId, ...component.ancestorIds],
      }

const severities: Record<Impact, AlertSeverity | null> = {
  minor: null,
  major: 'warning',
  critical: 'critical',
}

/** Maximum length in code points; the incident page shows the whole message. */
const MAX_REASON_LENGTH = 500

/** Reason of an alert, which is plain text: the start of the text. */
export const shortReason = (text: string): string => [...text].slice(0, MAX_REASON_LENGTH).join('')

export const causeOfIncident = (incident: IncidentEventData): AlertCause | null => {
  const { id, title, url, components } = incident
  const severity = severities[incident.impact]
  const unmuted = components.filter(({ isMuted }) => !isMuted)
  const isMuted = components.length > 0 && unmuted.length === 0
  if (severity === null || incident.status === 'resolved' || isMuted) return null
  return {
    dedupKey: incidentKey(id),
    title,
    severity,
    source: 'incident',
    componentId: null,
    incidentId: id,
    url,
    reason: shortReason(messagePlainText(incident.message)) || null,
    details: null,
    since: new Date(incident.startedAt),
    scopeIds: [
      ...new Set(unmuted.flatMap((component) => [component.id, ...component.ancestorIds])),
    ],
  }
}

/** Creates the alert before its first step, which may be due immediately. */
export const createAlert = (
  cause: AlertCause,
  { id: scheduleId, name: scheduleName, escalation, organizationId }: OncallScheduleRow,
  { id, now }: { id: string; now: Date },
): OncallAlertRow => {
  const { scopeIds: _scopeIds, ...about } = cause
  return {
    id,
    organizationId,
    version: 1,
    scheduleId,
    scheduleName,
    ...about,
    status: 'triggered',
    assignedUserIds: [],
    escalationLevel: 0,
    ...scheduleEscalationStep(0, escalation, now),
    count: 1,
    noResponder: false,
    triggeredAt: now,
    acknowledgedAt: null,
    acknowledgedBy: null,
    resolvedAt: null,
    createdAt: now,
    updatedAt: now,
  }
}

export const incrementTriggerCount = (row: OncallAlertRow, now: Date): OncallAlertRow => ({
  ...row,
  count: row.count + 1,
  version: row.version + 1,
  updatedAt: now,
})

/** Next step and its due time; both null after the last step. */
export const scheduleEscalationStep = (
  step: number,
  escalation: readonly EscalationStep[],
  triggeredAt: Date,
): Pick<OncallAlertRow, 'nextStep' | 'dueAt'> => {
  const next = escalation[step]
  if (next === undefined) return { nextStep: null, dueAt: null }
  return {
    nextStep: step,
    dueAt: new Date(triggeredAt.getTime() + next.delayMinutes * MINUTE_MS),
  }
}

/** Recipients of an event about an alert. */
export interface Recipients {
  userIds: readonly string[]
  channelIds: readonly string[]
}

export interface EscalationResult {
  alert: OncallAlertRow
  /** Recipients of the step. */
  recipients: Recipients
}

/**
 * Runs the due step. A step without recipients is skipped and the following step runs at once. Null
 * when no step is due. `recipientsOf` resolves targets to current members and channels.
 */
export const runEscalationStep = (
  row: OncallAlertRow,
  escalation: readonly EscalationStep[],
  recipientsOf: (targets: readonly string[]) => Recipients,
  now: Date,
): EscalationResult | null => {
  const { nextStep, dueAt } = row
  if (nextStep === null || dueAt === null || dueAt > now) return null
  const found = escalation.findIndex(({ targets }, index) => {
    if (index < nextStep) return false
    const { userIds, channelIds } = recipientsOf(targets)
    return userIds.length + channelIds.length > 0
  })
  const level = found === -1 ? Math.max(0, escalation.length - 1) : found
  const recipients = recipientsOf(escalation[found]?.targets ?? [])
  return {
    recipients,
    alert: {
      ...row,
      escalationLevel: level,
      ...scheduleEscalationStep(level + 1, escalation, row.triggeredAt),
      assignedUserIds: [...new Set([...row.assignedUserIds, ...recipients.userIds])],
      noResponder: row.noResponder || found !== nextStep,
    },
  }
}

/** Returns the same row if the alert is acknowledged already. */
export const acknowledgeAlert = (
  row: OncallAlertRow,
  userId: string | null,
  now: Date,
): OncallAlertRow => {
  if (row.status === 'resolved') {
    throw conflict('invalid_state', 'A resolved alert cannot be acknowledged')
  }
  if (row.status === 'acknowledged') return row
  return {
    ...row,
    status: 'acknowledged',
    acknowledgedAt: now,
    acknowledgedBy: userId,
    dueAt: null,
    nextStep: null,
    version: row.version + 1,
    updatedAt: now,
  }
}

/** Returns the same row if the alert is resolved already. */
export const resolveAlert = (row: OncallAlertRow, now: Date): OncallAlertRow =>
  row.status === 'resolved'
    ? row
    : {
        ...row,
        status: 'resolved',
        resolvedAt: now,
        dueAt: null,
        nextStep: null,
        version: row.version + 1,
        updatedAt: now,
      }

/**
 * Recomputes the next step after a change of the escalation; steps that have run are not repeated.
 */
export const rescheduleEscalation = (
  row: OncallAlertRow,
  escalation: readonly EscalationStep[],
): Pick<OncallAlertRow, 'nextStep' | 'dueAt'> => {
  const hasStarted = row.noResponder || row.assignedUserIds.length > 0
  return scheduleEscalationStep(
    hasStarted ? row.escalationLevel + 1 : 0,
    escalation,
    row.triggeredAt,
  )
}

export const auditAlert = auditChanges('oncall_alert', (row: OncallAlertRow) => auditable(row))

const auditable = (row: OncallAlertRow) => ({
  status: row.status,
  severity: row.severity,
  scheduleId: row.scheduleId,
  escalationLevel: row.escalationLevel,
  assignedUserIds: row.assignedUserIds,
})

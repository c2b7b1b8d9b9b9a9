/** Alert in API responses, and in events with the names and addresses of its recipients. */
import {
  draftEvent,
  type Event,
  type EventDraft,
  type EventSpec,
  type OncallAlert,
  oncallAcknowledged,
  oncallEscalated,
  oncallResolved,
  oncallTriggered,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { OncallAlertRow } from '../../tables.ts'
import { findMembers } from '../members/store.ts'
import type { Recipients } from './rules.ts'

export const presentAlert = (row: OncallAlertRow): OncallAlert => ({
  id: row.id,
  status: row.status,
  title: row.title,
  severity: row.severity,
  source: row.source,
  componentId: row.componentId,
  incidentId: row.incidentId,
  scheduleId: row.scheduleId,
  assignedUserIds: row.assignedUserIds,
  dedupKey: row.dedupKey,
  escalationLevel: row.escalationLevel,
  count: row.count,
  noResponder: row.noResponder,
  triggeredAt: row.triggeredAt.toISOString(),
  acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
  acknowledgedBy: row.acknowledgedBy,
  resolvedAt: row.resolvedAt?.toISOString() ?? null,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
})

type AlertEvent = Event<EventSpec & { data: typeof oncallTriggered.data }>

const kinds = {
  triggered: oncallTriggered,
  escalated: oncallEscalated,
  acknowledged: oncallAcknowledged,
  resolved: oncallResolved,
} satisfies Record<string, AlertEvent>

/** Event of an alert; users who left the organization are omitted. */
export const alertEvent = async (
  scope: Scope,
  verb: keyof typeof kinds,
  row: OncallAlertRow,
  { userIds, channelIds }: Recipients,
): Promise<EventDraft> => {
  const { acknowledgedBy, assignedUserIds } = row
  const named = [...assignedUserIds, ...userIds, ...(acknowledgedBy ? [acknowledgedBy] : [])]
  const members = await findMembers(scope, named)
  const known = (ids: readonly string[]) => ids.flatMap((id) => members.get(id) ?? [])
  const person = ({ userId, name }: { userId: string; name: string }) => ({ userId, name })
  return draftEvent(kinds[verb] as AlertEvent, row, {
    alert: {
      id: row.id,
      status: row.status,
      title: row.title,
      severity: row.severity,
      source: row.source,
      componentId: row.componentId,
      incidentId: row.incidentId,
      schedule: { id: row.scheduleId, name: row.scheduleName },
      reason: row.reason,
      since: row.since.toISOString(),
      url: row.url,
      escalationLevel: row.escalationLevel,
      escalatesAt: row.dueAt?.toISOString() ?? null,
      count: row.count,
      noResponder: row.noResponder,
      triggeredAt: row.triggeredAt.toISOString(),
      acknowledgedAt: row.acknowledgedAt?.toISOString() ?? null,
      acknowledgedBy: known(acknowledgedBy === null ? [] : [acknowledgedBy]).map(person)[0] ?? null,
      resolvedAt: row.resolvedAt?.toISOString() ?? null,
      assigned: known(assignedUserIds).map(person),
      recipients: known(userIds),
      channelIds: [...channelIds],
    },
  })
}

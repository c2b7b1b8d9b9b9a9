/** Alert in API responses, and in events with the names and addresses of its recipients. */
import {
  AlertEventData,
  draftEvent,
  type EventDraft,
  OncallAlert,
  oncallAcknowledged,
  oncallEscalated,
  oncallResolved,
  oncallTriggered,
  viewOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import type { OncallAlertRow } from '../../tables.ts'
import { findMembers } from '../members/store.ts'
import type { Recipients } from './rules.ts'

export const presentAlert = (row: OncallAlertRow): OncallAlert =>
  viewOf(OncallAlert, { ...row, escalatesAt: row.dueAt })

const kinds = {
  triggered: oncallTriggered,
  escalated: oncallEscalated,
  acknowledged: oncallAcknowledged,
  resolved: oncallResolved,
}

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
  const alert = viewOf(AlertEventData, {
    ...row,
    schedule: { id: row.scheduleId, name: row.scheduleName },
    escalatesAt: row.dueAt,
    acknowledgedBy: known(acknowledgedBy === null ? [] : [acknowledgedBy]).map(person)[0] ?? null,
    assigned: known(assignedUserIds).map(person),
    recipients: known(userIds),
    channelIds: [...channelIds],
  })
  return draftEvent(kinds[verb], row, { alert })
}

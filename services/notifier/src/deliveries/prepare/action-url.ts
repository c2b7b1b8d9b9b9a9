/** URL of the page that acts on an alert or a waiting draft, for the recipient of a delivery. */
import type { AlertEventData, DraftEventData } from '@status-page/contracts'
import type { ActionTarget, ActionTokens } from '@status-page/secrets'
import { channels } from '../../channels/index.ts'
import type { LeasedEvent } from './events.ts'
import type { LoadedDelivery } from './load-for-send.ts'

type CoveredEvent = Pick<LeasedEvent, 'occurredAt' | 'payload'>

/** Time after the event for which a link is valid: an alert of a Friday lasts over the weekend. */
const VALID_HOURS = 72
const HOUR_MS = 3_600_000

export interface ActionUrlDeps {
  /** Base of all links in messages. */
  baseUrl: string
  actionTokens: ActionTokens
}

type Recipient = Pick<LoadedDelivery['destination'], 'kind' | 'type' | 'userId' | 'channelId'>

/**
 * Null for other events, for subscribers, and when no action is left. The URL of a chat contains no
 * token, because everybody in the room could act with it: its page requires a session.
 */
export const actionUrlOf = (
  { baseUrl, actionTokens }: ActionUrlDeps,
  { kind, type, userId, channelId }: Recipient,
  event: CoveredEvent,
): string | null => {
  const subject = subjectOf(event)
  const recipientId = kind === 'user' ? userId : channelId
  if (subject === null || recipientId === null || kind === 'subscriber') return null
  if (channels[type].recipientFormat === null) {
    return `${baseUrl}/account/${subject.subject}s/${subject.subjectId}`
  }
  const expiresAt = new Date(event.occurredAt.getTime() + VALID_HOURS * HOUR_MS)
  const token = actionTokens.create({ ...subject, recipient: kind, recipientId, expiresAt })
  return `${baseUrl}/actions/${token}`
}

const subjectOf = ({
  payload,
}: CoveredEvent): Pick<ActionTarget, 'subject' | 'subjectId'> | null => {
  const { alert, draft } = payload as { alert?: AlertEventData; draft?: DraftEventData }
  if (draft !== undefined) return { subject: 'draft', subjectId: draft.id }
  if (alert === undefined || alert.status === 'resolved') return null
  return { subject: 'alert', subjectId: alert.id }
}

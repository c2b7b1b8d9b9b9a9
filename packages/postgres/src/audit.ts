/**
 * Audit entry as the event that carries it; long texts are cut, so that it stays within the event
 * limit.
 */
import {
  type Actor,
  type AuditDraft,
  type EventDraft,
  type FieldChange,
  MAX_EVENT_BYTES,
} from '@status-page/contracts'

export const MAX_AUDIT_TEXT_LENGTH = 1_000
const MAX_DEPTH = 8
/** Limit of the changes, with room for the entry's other fields and for the envelope. */
const MAX_CHANGES_BYTES = MAX_EVENT_BYTES - 16 * 1024

interface AuditInput {
  id: string
  organizationId: string
  now: Date
  actor: Actor
  draft: AuditDraft
}

export const auditEvent = ({ id, organizationId, now, actor, draft }: AuditInput): EventDraft => ({
  kind: 'audit.recorded',
  aggregate: { type: 'audit', id, version: 1 },
  data: {
    id,
    organizationId,
    action: draft.action,
    entityType: draft.entityType,
    entityId: draft.entityId,
    entityName: truncateText(draft.entityName),
    actorType: actor.type,
    userId: actor.userId,
    apiKeyId: actor.apiKeyId,
    changes: fitChanges(draft.changes),
    ipAddress: actor.ipAddress,
    userAgent: truncateText(actor.userAgent),
    requestId: actor.requestId,
    occurredAt: now.toISOString(),
  },
})

/** Cuts by code point, so that no surrogate pair is split. */
const truncateText = (text: string | null): string | null =>
  text === null || text.length <= MAX_AUDIT_TEXT_LENGTH
    ? text
    : [...text].slice(0, MAX_AUDIT_TEXT_LENGTH).join('')

const truncate = (value: unknown, depth = 0): unknown => {
  if (typeof value === 'string') return truncateText(value)
  if (value === null || typeof value !== 'object') return value
  if (value instanceof Date) return value.toISOString()
  if (depth >= MAX_DEPTH) return '…'
  if (Array.isArray(value)) return value.map((item) => truncate(item, depth + 1))
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name, truncate(item, depth + 1)]),
  )
}

const bytesOf = (value: unknown) => Buffer.byteLength(JSON.stringify(value) ?? '')

/**
 * Omits huge values of fields; failing the transaction would be worse than an entry without a
 * value.
 */
const fitChanges = (changes: AuditDraft['changes']): Record<string, FieldChange> => {
  const truncated = truncate(changes) as Record<string, FieldChange>
  if (bytesOf(truncated) <= MAX_CHANGES_BYTES) return truncated
  const fields = Object.entries(truncated)
  const share = MAX_CHANGES_BYTES / fields.length
  return Object.fromEntries(
    fields.map(([name, field]) => [name, bytesOf(field) <= share / 2 ? field : { to: '…' }]),
  )
}

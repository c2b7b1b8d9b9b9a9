/**
 * Outbox: events are inserted in the transaction of their change and stay until all consumers have
 * them.
 */
import {
  type Actor,
  AppError,
  type EventDraft,
  MAX_EVENT_BYTES,
  type OutcomeDrafts,
  subjectOf,
} from '@status-page/contracts'
import { currentTraceparent } from '@status-page/tracing'
import { sql } from 'drizzle-orm'
import { auditEvent } from './audit.ts'
import { newId } from './columns.ts'
import type { Tx } from './driver.ts'

/** Row of `outbox`, with its column names. */
export interface OutboxRow {
  seq: string
  event_id: string
  organization_id: string
  aggregate_type: string
  aggregate_id: string
  aggregate_version: number
  kind: string
  subject: string
  payload: unknown
  occurred_at: string | Date
}

type NewRow = Omit<OutboxRow, 'seq'>

/** Outbox rows of one outcome; audit entries are events as well. */
export const outboxRowsOf = (
  organizationId: string,
  now: Date,
  actor: Actor,
  { events, audit }: OutcomeDrafts,
): NewRow[] => [
  ...events.map((draft) => rowOf(newId(), organizationId, now, draft)),
  ...audit.map((draft) => {
    const id = newId()
    return rowOf(id, organizationId, now, auditEvent({ id, organizationId, now, actor, draft }))
  }),
]

/** Inserts all rows and notifies the relay, in one statement. */
export const appendToOutbox = async (tx: Tx, rows: readonly NewRow[]): Promise<void> => {
  if (rows.length === 0) return
  await tx.execute(sql`
    WITH appended AS (
      INSERT INTO outbox (event_id, organization_id, aggregate_type, aggregate_id,
        aggregate_version, kind, subject, payload, occurred_at, traceparent)
      SELECT event_id, organization_id, aggregate_type, aggregate_id,
        aggregate_version, kind, subject, payload, occurred_at, ${currentTraceparent()}::text
      FROM jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) AS row(event_id uuid,
        organization_id uuid, aggregate_type text, aggregate_id uuid, aggregate_version int,
        kind text, subject text, payload jsonb, occurred_at timestamptz))
    SELECT pg_notify('outbox_new', current_schema())`)
}

const rowOf = (id: string, organizationId: string, now: Date, draft: EventDraft): NewRow => {
  const bytes = Buffer.byteLength(JSON.stringify(draft.data))
  if (bytes > MAX_EVENT_BYTES) {
    throw new AppError('PAYLOAD_TOO_LARGE', `The event ${draft.kind} is too large`, {
      bytes,
      limit: MAX_EVENT_BYTES,
    })
  }
  return {
    event_id: id,
    organization_id: organizationId,
    aggregate_type: draft.aggregate.type,
    aggregate_id: draft.aggregate.id,
    aggregate_version: draft.aggregate.version,
    kind: draft.kind,
    subject: subjectOf(draft.kind, organizationId),
    payload: draft.data,
    occurred_at: now.toISOString(),
  }
}

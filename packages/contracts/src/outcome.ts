/**
 * Result of a rule: events and audit entries are return values, so that omitting them does not
 * compile.
 */
import type { EventDraft } from './event.ts'

export type FieldChange = { from?: unknown; to?: unknown }

/** Audit entry before the transaction adds the actor. `changes` never contain secrets. */
export interface AuditDraft {
  action: string
  entityType: string
  entityId: string
  entityName: string | null
  changes: Record<string, FieldChange>
}

export interface Outcome<Result> {
  result: Result
  events: readonly EventDraft[]
  audit: readonly AuditDraft[]
}

export type ActorType = 'user' | 'api_key' | 'config_sync' | 'system'

/** Originator of a request, with its network address. */
export interface Actor {
  type: ActorType
  userId: string | null
  apiKeyId: string | null
  ipAddress: string | null
  userAgent: string | null
  requestId: string | null
}

export const systemActor: Actor = Object.freeze({
  type: 'system',
  userId: null,
  apiKeyId: null,
  ipAddress: null,
  userAgent: null,
  requestId: null,
})

const same = (left: unknown, right: unknown) => JSON.stringify(left) === JSON.stringify(right)

/** Returns the fields of `after` that differ from `before`, as audit changes. */
export const changesBetween = <Row extends object>(
  before: Partial<Row> | null,
  after: Partial<Row>,
): Record<string, FieldChange> =>
  Object.fromEntries(
    Object.entries(after)
      .filter(([field, value]) => !same(value, before?.[field as keyof Row]))
      .map(([field, to]) => [
        field,
        before === null ? { to } : { from: before[field as keyof Row], to },
      ]),
  )

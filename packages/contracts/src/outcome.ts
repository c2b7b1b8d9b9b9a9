/**
 * Result of a rule: events and audit entries are return values, so that omitting one of them does
 * not compile.
 */
import { type EventDraft, nounOfKind } from './event.ts'

export type FieldChange = { from?: unknown; to?: unknown }

/** Audit entry before the transaction adds the actor. `changes` never contain secrets. */
export interface AuditDraft {
  action: string
  entityType: string
  entityId: string
  entityName: string | null
  changes: Record<string, FieldChange>
}

/** Events and audit entries that a transaction appends to the outbox. */
export interface OutcomeDrafts {
  events: readonly EventDraft[]
  audit: readonly AuditDraft[]
}

export interface Outcome<Result> extends OutcomeDrafts {
  result: Result
}

/** Outcome of a transaction: a result alone records neither events nor audit entries. */
export type TransactionOutcome<Result> =
  | Outcome<Result>
  | { result: Result; events?: undefined; audit?: undefined }

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

/** Creates an audit entry; the type of the entity is the noun of the action. */
export const draftAudit = (
  action: `${string}.${string}`,
  { id, name }: { id: string; name: string | null },
  changes: AuditDraft['changes'] = {},
): AuditDraft => ({
  action,
  entityType: nounOfKind(action),
  entityId: id,
  entityName: name,
  changes,
})

interface AuditedRow {
  id: string
  name?: string
  title?: string
}

type Side<Row> = Row | null

/**
 * Returns the function that creates the audit entries of a kind of entity. `fieldsOf` selects the
 * fields of a row that an entry lists, `secretsOf` adds changes without their values. The entry of a
 * deletion lists none.
 */
export const auditChanges =
  <Row extends AuditedRow>(
    noun: string,
    fieldsOf: (row: Row) => object,
    secretsOf: (before: Side<Row>, after: Row) => AuditDraft['changes'] = () => ({}),
  ) =>
  (verb: 'create' | 'update' | 'delete', before: Side<Row>, after: Side<Row>): AuditDraft => {
    const { id, name, title } = (after ?? before) as Row
    const changes =
      verb === 'delete' || after === null
        ? {}
        : {
            ...changesBetween(before && fieldsOf(before), fieldsOf(after)),
            ...secretsOf(before, after),
          }
    return draftAudit(`${noun}.${verb}`, { id, name: name ?? title ?? null }, changes)
  }

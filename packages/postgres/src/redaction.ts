/**
 * Removal of an erased mail address from the stored events, responses and quarantined events of an
 * organization. Each statement covers one page of rows in its own transaction.
 */
import { type SQL, sql } from 'drizzle-orm'
import type { Database } from './connect.ts'
import { read } from './scope.ts'

/** Replacement of an erased text. */
export const REDACTED = '[erased]'

/** Rows of one page; about 50 ms for large rows. */
const PAGE_ROWS = 500

export interface PersonalTexts {
  email: string
  /** Ids of entities whose names are erased from audit entries. */
  entityIds: readonly string[]
  /** User whose audit entries lose IP address and user agent; null when none do. */
  userId: string | null
}

/** Text as encoded inside JSON. */
export const escapeForJson = (text: string): string => JSON.stringify(text).slice(1, -1)

/**
 * Regular expression of Postgres for the address inside JSON text. An address that contains it, such
 * as joann@example.com for ann@example.com, does not match. A letter before it may end an escape (`\n`).
 */
export const addressPattern = (email: string): string => {
  const escaped = escapeForJson(email).replace(/[^A-Za-z0-9@_]/g, '\\$&')
  return `(?:(?<=\\\\[nrtbf])|(?<![[:alnum:]._%+-]))${escaped}(?![[:alnum:]-]|\\.[[:alnum:]])`
}

/**
 * Condition that the column contains the address; the substring search avoids the regular
 * expression for most rows.
 */
export const containsAddress = (column: SQL, email: string): SQL => sql`(
  strpos(lower(${column}), ${escapeForJson(email).toLowerCase()}) > 0
    AND ${column} ~* ${addressPattern(email)})`

export const redactAddressSql = (column: SQL, email: string): SQL =>
  sql`regexp_replace(${column}, ${addressPattern(email)}, ${REDACTED}, 'gi')`

/**
 * Runs the statement for page after page of a table. The statement returns the key of the last row of
 * its page, or no row when nothing follows `after`.
 */
export const forEachTablePage = async <Key extends Record<string, unknown>>(
  database: Database,
  organizationId: string,
  { start, statement }: { start: Key; statement(after: Key): SQL },
): Promise<void> => {
  let after = start
  for (;;) {
    const [last] = await read(database, organizationId, ({ tx }) =>
      tx.execute<Key>(statement(after)),
    )
    if (last === undefined) return
    after = last as Key
  }
}

/**
 * Redacts the outbox, the stored responses and the quarantined events. A repeat changes nothing.
 */
export const redactSharedTables = async (
  database: Database,
  organizationId: string,
  texts: PersonalTexts,
): Promise<void> => {
  await forEachTablePage(database, organizationId, {
    start: { seq: '0' },
    statement: ({ seq }) => redactOutbox(organizationId, texts, seq),
  })
  await forEachTablePage(database, organizationId, {
    start: { caller_id: '', route: '', key: '' },
    statement: (after) => redactResponses(organizationId, texts.email, after),
  })
  await forEachTablePage(database, organizationId, {
    start: { consumer: '', event_id: '00000000-0000-0000-0000-000000000000' },
    statement: (after) => deleteDeadEvents(organizationId, texts.email, after),
  })
}

/**
 * Pages over all organizations, as no index covers the settled events of one. Events about members
 * keep a subscriber's address, because the account with the same address remains.
 */
const redactOutbox = (
  organizationId: string,
  { email, entityIds, userId }: PersonalTexts,
  after: string,
) => {
  const text = sql`o.payload::text`
  const isAudit = sql`o.kind = 'audit.recorded'`
  const isOfActor = sql`${isAudit} AND o.payload ->> 'userId' = ${userId}::text`
  const isOfEntity = sql`${isAudit}
    AND o.payload ->> 'entityId' = ANY (${sql.param([...entityIds])}::text[])`
  return sql`
    WITH page AS MATERIALIZED (
      SELECT seq FROM outbox WHERE seq > ${after}::bigint ORDER BY seq LIMIT ${PAGE_ROWS}),
    changed AS (UPDATE outbox o SET payload = ${redactAddressSql(text, email)}::jsonb
        || CASE WHEN ${isOfActor} THEN '{"ipAddress": null, "userAgent": null}' ELSE '{}' END::jsonb
        || CASE WHEN ${isOfEntity} THEN '{"entityName": null}' ELSE '{}' END::jsonb
      FROM page p WHERE o.seq = p.seq AND o.organization_id = ${organizationId}
        AND (${userId}::text IS NOT NULL OR o.aggregate_type <> 'member')
        AND (${containsAddress(text, email)} OR ${isOfActor} OR ${isOfEntity}))
    SELECT seq::text FROM page ORDER BY page.seq DESC LIMIT 1`
}

const redactResponses = (
  organizationId: string,
  email: string,
  after: { caller_id: string; route: string; key: string },
) => sql`
  WITH page AS MATERIALIZED (
    SELECT caller_id, route, key FROM idempotency WHERE organization_id = ${organizationId}
      AND (caller_id, route, key) > (${after.caller_id}, ${after.route}, ${after.key})
    ORDER BY caller_id, route, key LIMIT ${PAGE_ROWS}),
  changed AS (UPDATE idempotency i SET body = ${redactAddressSql(sql`i.body`, email)}
    FROM page p WHERE i.organization_id = ${organizationId}
      AND (i.caller_id, i.route, i.key) = (p.caller_id, p.route, p.key)
      AND ${containsAddress(sql`i.body`, email)})
  SELECT caller_id, route, key FROM page
  ORDER BY caller_id DESC, route DESC, key DESC LIMIT 1`

const deleteDeadEvents = (
  organizationId: string,
  email: string,
  after: { consumer: string; event_id: string },
) => sql`
  WITH page AS MATERIALIZED (
    SELECT consumer, event_id FROM dead_event
    WHERE (consumer, event_id) > (${after.consumer}, ${after.event_id}::uuid)
    ORDER BY consumer, event_id LIMIT ${PAGE_ROWS}),
  deleted AS (DELETE FROM dead_event d USING page p
    WHERE (d.consumer, d.event_id) = (p.consumer, p.event_id)
      AND d.subject LIKE ${`events.%.${organizationId}`}
      AND (${containsAddress(sql`encode(d.raw, 'escape')`, email)}
        OR ${containsAddress(sql`d.error`, email)}))
  SELECT consumer, event_id::text FROM page ORDER BY consumer DESC, page.event_id DESC LIMIT 1`

/** Erasure of a mail address from the audit log and the event log of an organization. */
import { catchUpOrganization } from '@status-page/bus'
import { unavailable } from '@status-page/contracts'
import {
  addressPattern,
  containsAddress,
  type Database,
  escapeForJson,
  forEachTablePage,
  redactAddressSql,
} from '@status-page/postgres'
import type { ErasedAddress, Logger } from '@status-page/service'
import { sql } from 'drizzle-orm'
import { auditEventHandler } from '../audit/handlers.ts'

const PAGE_ROWS = 500

export const logErasure = (resources: { database: Database; logger: Logger }) => {
  const eraseFromAuditLog = auditLogErasure(resources)
  return async (database: Database, erased: ErasedAddress): Promise<void> => {
    await eraseFromAuditLog(database, erased)
    await eraseFromEventLog(database, erased)
  }
}

/**
 * Clears the entity's name in entries about the account or the subscribers, and IP address and user
 * agent in entries by the account.
 */
const auditLogErasure = (resources: { database: Database; logger: Logger }) => {
  const isUpToDate = catchUpOrganization({
    ...resources,
    handler: auditEventHandler,
    type: 'audit',
  })
  return async (database: Database, erased: ErasedAddress): Promise<void> => {
    const { organizationId, entityIds, userId, email } = erased
    // An event that is not handled yet could add an entry with the address afterwards.
    if (!(await isUpToDate(organizationId))) {
      throw unavailable(
        'Audit entries of the organization are still in the outbox of their services; redaction is retried',
      )
    }
    await forEachTablePage<{ id: string }>(database, organizationId, {
      start: { id: '00000000-0000-0000-0000-000000000000' },
      statement: ({ id }) => sql`
        SELECT last.id::text FROM redact_audit(${sql.param([...entityIds])}::text[],
          ${userId}::uuid, ${escapeForJson(email)}, ${addressPattern(email)}, ${id}::uuid,
          ${PAGE_ROWS}) AS last(id)
        WHERE last.id IS NOT NULL`,
    })
  }
}

/** Titles and reasons in events may contain the address. */
const eraseFromEventLog = (
  database: Database,
  { organizationId, email }: Pick<ErasedAddress, 'organizationId' | 'email'>,
): Promise<void> =>
  forEachTablePage<{ position: string }>(database, organizationId, {
    start: { position: '0' },
    statement: (after) => sql`
      WITH page AS MATERIALIZED (
        SELECT position FROM event_log
        WHERE organization_id = ${organizationId} AND position > ${after.position}::bigint
        ORDER BY position LIMIT ${PAGE_ROWS}),
      changed AS (
        UPDATE event_log e SET payload = ${redactAddressSql(sql`e.payload`, email)}
        FROM page p WHERE e.organization_id = ${organizationId} AND e.position = p.position
          AND ${containsAddress(sql`e.payload`, email)})
      SELECT position::text FROM page ORDER BY page.position DESC LIMIT 1`,
  })

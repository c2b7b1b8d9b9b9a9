/** Erasure of a mail address from the audit log of an organization. */
import { catchUpOrganization } from '@status-page/bus'
import { unavailable } from '@status-page/contracts'
import {
  addressPattern,
  type Database,
  escapeForJson,
  forEachTablePage,
} from '@status-page/postgres'
import type { ErasedAddress, Logger } from '@status-page/service'
import { sql } from 'drizzle-orm'
import { auditEventHandler } from '../audit/handlers.ts'

const PAGE_ROWS = 500

/**
 * Clears the entity's name in entries about the account or the subscribers, and IP address and user
 * agent in entries by the account.
 */
export const auditLogErasure = (resources: { database: Database; logger: Logger }) => {
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

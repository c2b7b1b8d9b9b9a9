/** The audit log: rows are added and read; nobody changes one. */
import type { AuditEntry } from '@status-page/contracts'
import type { HotCrossing, Scope } from '@status-page/postgres'
import { auditLog } from '../tables.ts'

export const insertEntry = async (
  { tx, organizationId }: Scope,
  entry: AuditEntry,
): Promise<void> => {
  const { id, action, entityType, entityId, entityName, actorType, userId, apiKeyId } = entry
  const { changes, ipAddress, userAgent, requestId, occurredAt } = entry
  await tx.insert(auditLog).values({
    ...{ organizationId, id, action, entityType, entityId, entityName, actorType, userId },
    ...{ apiKeyId, changes, ipAddress, userAgent, requestId, occurredAt: new Date(occurredAt) },
  })
}

/** One batch of entries beyond the retention; answers how many. */
export const deleteEntries = async (
  { sql }: HotCrossing,
  { retentionDays, limit }: { retentionDays: number; limit: number },
): Promise<number> => {
  const gone = await sql`
    DELETE FROM audit_log WHERE (organization_id, id) IN (
      SELECT organization_id, id FROM audit_log
      WHERE occurred_at < now() - make_interval(days => ${retentionDays})
      ORDER BY occurred_at LIMIT ${limit})`
  return gone.count
}

/**
 * Export of an account: all stored data about it as one streamed JSON document, the rows first,
 * then the audit entries.
 */
import { Readable } from 'node:stream'
import { asLookup, type Database, read, type SystemScope } from '@status-page/postgres'
import { type Call, rawReply } from '@status-page/service'
import { sql } from 'drizzle-orm'
import { userIdOf } from '../login/credential-change.ts'
import { membershipsOfAccount, rowsOfAccount } from './data-store.ts'

const PAGE_ROWS = 500

export const accountExport = async (call: Call, { database }: { database: Database }) => {
  const userId = userIdOf(call)
  const rows = await rowsOfAccount(database, userId)
  const memberships = await asLookup(database, (systemScope: SystemScope) =>
    membershipsOfAccount(systemScope, userId),
  )
  const exported = memberships.map(({ organizationId, name, role, createdAt }) => ({
    organizationId,
    organizationName: name,
    role,
    createdAt,
  }))
  const ids = memberships.map(({ organizationId }) => organizationId)
  const head = JSON.stringify({ ...rows, memberships: exported }).slice(0, -1)
  return rawReply({
    contentType: 'application/json; charset=utf-8',
    headers: { 'content-disposition': 'attachment; filename="account.json"' },
    body: Readable.from(jsonChunks(database, head, { userId, ids }), { highWaterMark: 1 }),
  })
}

/** Streams the audit entries page by page, so that memory stays bounded. */
async function* jsonChunks(
  database: Database,
  head: string,
  { userId, ids }: { userId: string; ids: readonly string[] },
): AsyncGenerator<string> {
  yield `${head},"auditEntries":[`
  let separator = ''
  for (const organizationId of ids) {
    let after = '00000000-0000-0000-0000-000000000000'
    for (;;) {
      const rows = await readEntries(database, { organizationId, userId, after })
      for (const row of rows) {
        yield `${separator}${JSON.stringify(row)}`
        separator = ','
      }
      if (rows.length < PAGE_ROWS) break
      after = rows.at(-1)?.id ?? after
    }
  }
  yield ']}'
}

const readEntries = (
  database: Database,
  { organizationId, userId, after }: { organizationId: string; userId: string; after: string },
): Promise<{ id: string }[]> =>
  read(database, organizationId, async ({ tx }) => [
    ...(await tx.execute<{ id: string }>(sql`
      SELECT id, organization_id AS "organizationId", action, entity_type AS "entityType",
        entity_id AS "entityId", changes, ip_address AS "ipAddress", user_agent AS "userAgent",
        request_id AS "requestId", occurred_at AS "occurredAt"
      FROM audit_log WHERE organization_id = ${organizationId} AND user_id = ${userId}
        AND id > ${after} ORDER BY id LIMIT ${PAGE_ROWS}`)),
  ])

/** Audit log over HTTP: one page as JSON, or all matching entries as a file. */
import {
  type AuditLog,
  auditOperations,
  invalid,
  listReply,
  type Query,
} from '@status-page/contracts'
import { type Call, createRoutes, type Route, rawReply } from '@status-page/service'
import { exportEntries } from './export.ts'
import type { SyncOwnEntries } from './own-entries.ts'
import * as store from './store.ts'

export const auditRoutes = (syncOwnEntries: SyncOwnEntries): Route[] =>
  createRoutes(auditOperations, {
    async list(call) {
      const { query } = call
      validateTimeRange(query)
      await syncOwnEntries(call.organizationId)
      if (query.format !== 'json') return exportOf(call, query.format)
      const { rows, total } = await call.read((scope) => store.listEntries(scope, query))
      return listReply(query, total, rows.map(replyOf))
    },
  })

type ListCall = Call<typeof auditOperations.list>

const exportOf = (call: ListCall, format: 'csv' | 'ndjson') => {
  const { contentType, body } = exportEntries(format, (after, limit) =>
    call.read(async (scope) => {
      const rows = await store.entriesAfter(scope, call.query, { after, limit })
      const last = rows.length < limit ? undefined : rows.at(-1)
      return {
        entries: rows.map(replyOf),
        last: last === undefined ? null : { occurredAt: last.occurredAtText, id: last.id },
      }
    }),
  )
  const headers = { 'content-disposition': `attachment; filename="audit-logs.${format}"` }
  return rawReply({ contentType, body, headers })
}

const validateTimeRange = ({ from, to }: Query<typeof auditOperations.list>) => {
  if (from === undefined || to === undefined || from <= to) return
  throw invalid({ field: 'from', message: 'from must not be after to' })
}

const replyOf = (row: store.EntryRow): AuditLog => ({
  id: row.id,
  organizationId: row.organizationId,
  action: row.action,
  entityType: row.entityType,
  entityId: row.entityId,
  entityName: row.entityName,
  actorType: row.actorType as AuditLog['actorType'],
  userId: row.userId,
  apiKeyId: row.apiKeyId,
  changes: row.changes as AuditLog['changes'],
  ipAddress: row.ipAddress,
  userAgent: row.userAgent,
  requestId: row.requestId,
  createdAt: row.occurredAt.toISOString(),
  updatedAt: row.occurredAt.toISOString(),
})

/** Audit log over HTTP: one page as JSON, or all matching entries as a file. */
import {
  AuditLog,
  auditOperations,
  comparisonIssue,
  invalid,
  listReply,
  type Query,
  viewOf,
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
  throw invalid(comparisonIssue('from', 'notAfter', 'to'))
}

const replyOf = (row: store.EntryRow): AuditLog =>
  viewOf(AuditLog, {
    ...row,
    actorType: row.actorType as AuditLog['actorType'],
    changes: row.changes as AuditLog['changes'],
    createdAt: row.occurredAt,
    updatedAt: row.occurredAt,
  })

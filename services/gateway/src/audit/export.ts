/**
 * Export of the audit log as a file. Pages are read as fast as the client consumes them, so that
 * memory stays bounded.
 */
import { Readable } from 'node:stream'
import type { AuditLog, auditFormats } from '@status-page/contracts'
import { stringify } from 'csv-stringify/sync'

export type ExportFormat = Exclude<(typeof auditFormats)[number], 'json'>

export const MAX_EXPORT_ROWS = 100_000
const PAGE_ROWS = 500

/**
 * Position of the last exported entry; the time is text because a Date would lose the microseconds.
 */
export interface EntryCursor {
  occurredAt: string
  id: string
}

export type ReadEntryPage = (
  after: EntryCursor | null,
  limit: number,
) => Promise<{ entries: AuditLog[]; last: EntryCursor | null }>

interface Writer {
  contentType: string
  /** Text before the first page. */
  head: string
  write(entries: readonly AuditLog[]): string
}

const columns = [
  'id',
  'createdAt',
  'action',
  'entityType',
  'entityId',
  'entityName',
  'actorType',
  'userId',
  'apiKeyId',
  'changes',
  'ipAddress',
  'userAgent',
  'requestId',
  'organizationId',
] as const satisfies readonly (keyof AuditLog)[]

/** Formats rows as CSV; a cell that a spreadsheet would run as a formula gets a leading quote. */
const csv = (rows: unknown[][]): string =>
  stringify(rows, { escape_formulas: true, record_delimiter: 'windows', quoted_match: /\r/ })

const writers: Record<ExportFormat, Writer> = {
  csv: {
    contentType: 'text/csv; charset=utf-8; header=present',
    head: csv([[...columns]]),
    write: (entries) =>
      csv(
        entries.map((entry) =>
          columns.map((name) => (name === 'changes' ? JSON.stringify(entry.changes) : entry[name])),
        ),
      ),
  },
  ndjson: {
    contentType: 'application/x-ndjson; charset=utf-8',
    head: '',
    write: (entries) => entries.map((entry) => `${JSON.stringify(entry)}\n`).join(''),
  },
}

export const exportEntries = (
  format: ExportFormat,
  readPage: ReadEntryPage,
): { contentType: string; body: Readable } => {
  const { contentType, head, write } = writers[format]
  async function* pages() {
    yield head
    let after: EntryCursor | null = null
    for (let remaining = MAX_EXPORT_ROWS; remaining > 0; remaining -= PAGE_ROWS) {
      const { entries, last } = await readPage(after, Math.min(remaining, PAGE_ROWS))
      if (entries.length > 0) yield write(entries)
      if (last === null) return
      after = last
    }
  }
  // At most one page is buffered; the next is read when the client has consumed it.
  return { contentType, body: Readable.from(pages(), { highWaterMark: 1 }) }
}

/** Rows of the pages of vendors, which belong to no organization. */
import { createHash } from 'node:crypto'
import type { VendorFault } from '@status-page/contracts'
import { asWorkerRaw, type Database, type RawSystemScope } from '@status-page/postgres'
import type { PageToRead, ReadDocument, VendorReading } from './reader.ts'

/** Interval between two polls of a page. */
const POLL_INTERVAL = '60 seconds'
/** Lease of a claimed page: the maximum wait for a slot, and the interval after it. */
const LEASE = '90 seconds'
/** Factor of the interval after repeated failures. */
const MAX_SLOWDOWN = 5
/** Consecutive failures until a page that was read before has no data. */
const FAILURES_WITHOUT_DATA = 2
/** Retention of pages that no component follows. */
const RETENTION = '1 day'

/** Claimed page. */
export interface DuePage extends PageToRead {
  documentHash: string | null
  version: number
  failures: number
  error: VendorFault | null
}

/** Claims due pages of the shards that an enabled component follows, longest due first. */
export const claimDuePages = (
  database: Database,
  { shards, limit }: { shards: readonly number[]; limit: number },
): Promise<DuePage[]> =>
  asWorkerRaw(
    database,
    ({ sql }) => sql<DuePage[]>`
      UPDATE vendor_pages p SET next_poll_at = now() + ${LEASE}::interval
      WHERE p.next_poll_at <= now() AND p.url IN (
        SELECT url FROM vendor_pages due
        WHERE due.next_poll_at <= now() AND due.shard = ANY (${[...shards]}::smallint[])
          AND EXISTS (
            SELECT FROM vendor_followers f WHERE f.page_url = due.url AND f.is_enabled)
        ORDER BY due.next_poll_at LIMIT ${limit} FOR UPDATE SKIP LOCKED)
      RETURNING p.url, p.source, p.etag, p.last_modified AS "lastModified",
        p.document_hash AS "documentHash", p.version, p.failures, p.error`,
  )

/** Stores the result of a poll, and marks the reports of its followers when it changes them. */
export const saveReading = (
  database: Database,
  page: DuePage,
  reading: VendorReading,
): Promise<void> =>
  asWorkerRaw(database, async (scope) => {
    const isChanged =
      reading.state === 'failed'
        ? await saveFailure(scope, page, reading.error)
        : await saveSuccess(scope, page, reading.state === 'read' ? reading : null)
    if (!isChanged) return
    await scope.sql`
      UPDATE vendor_followers SET due_at = now() WHERE page_url = ${page.url} AND is_enabled`
  })

/** `read` is null for an unchanged document. Returns whether reports may change. */
const saveSuccess = async (
  { sql }: RawSystemScope,
  page: DuePage,
  read: ReadDocument | null,
): Promise<boolean> => {
  const hash = read === null ? page.documentHash : hashOf(read)
  const isSame = hash === page.documentHash
  const isChanged = !isSame || page.error !== null
  const { count } = await sql`
    UPDATE vendor_pages SET failures = 0, error = NULL, failed_since = NULL,
      next_poll_at = now() + ${POLL_INTERVAL}::interval,
      version = version + ${isChanged ? 1 : 0}
      ${read === null ? sql`` : sql`, source = ${read.source}, etag = ${read.etag}, last_modified = ${read.lastModified}`}
      ${read === null || isSame ? sql`` : sql`, document = ${sql.json(read.document as never)}, document_hash = ${hash}`}
    WHERE url = ${page.url} AND version = ${page.version}`
  return isChanged && count > 0
}

/** The document is searched again after a failure of its address. */
const saveFailure = async (
  { sql }: RawSystemScope,
  page: DuePage,
  fault: VendorFault,
): Promise<boolean> => {
  const failures = page.failures + 1
  const hasNoData = page.documentHash === null || failures >= FAILURES_WITHOUT_DATA
  const error = hasNoData ? fault : page.error
  const isChanged = error !== page.error
  const { count } = await sql`
    UPDATE vendor_pages SET failures = ${failures}, error = ${error},
      failed_since = coalesce(failed_since, now()), source = NULL,
      next_poll_at = now() + ${Math.min(failures, MAX_SLOWDOWN)} * ${POLL_INTERVAL}::interval,
      version = version + ${isChanged ? 1 : 0}
    WHERE url = ${page.url} AND version = ${page.version}`
  return isChanged && count > 0
}

const hashOf = ({ document }: ReadDocument): string =>
  createHash('sha256').update(JSON.stringify(document)).digest('hex')

/** Deletes pages that no component has followed for a day; returns their number. */
export const deleteUnusedPages = (database: Database): Promise<number> =>
  asWorkerRaw(database, async ({ sql }) => {
    const { count } = await sql`
      DELETE FROM vendor_pages p WHERE next_poll_at < now() - ${RETENTION}::interval
        AND NOT EXISTS (SELECT FROM vendor_followers f WHERE f.page_url = p.url)`
    return count
  })

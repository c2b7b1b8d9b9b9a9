/** Exports public pages as files: after changes of their organization, else every five minutes. */
import { asWorker, type Database, type Job, newId, read, write } from '@status-page/postgres'
import { type Logger, runCooperatively } from '@status-page/service'
import type { PageExportRow } from '../../tables.ts'
import { createPageView } from '../access/page-access.ts'
import { findPages } from '../settings/store.ts'
import { compareWithExported, type ExportDifference } from './difference.ts'
import { prepareStaticPageFiles, type RenderFiles } from './files.ts'
import { ExportPublisher, LEASE_SECONDS, LeaseLostError } from './publisher.ts'
import * as store from './store.ts'
import type { ExportTarget } from './target.ts'

/** Interval between the exports of a page while its organization changes. */
const INTERVAL_MS = 15_000
/** Interval otherwise, for content that changes without an event, such as uptime and metrics. */
const UNCHANGED_INTERVAL_MS = 300_000
const POLL_MS = 5_000
/** Pages per run; each is leased when its turn comes. */
const MAX_PAGES_PER_RUN = 8
/**
 * Files of a page that stopped being public are removed once more after this time: a process can
 * write a file after a long pause and be killed before its own check.
 */
const CLEAR_AGAIN_MS = 600_000

interface ExportDeps {
  database: Database
  baseUrl: string
  target: ExportTarget
  logger: Logger
}

export const exportJob = (deps: ExportDeps): Job => ({
  name: 'static-export',
  intervalMs: POLL_MS,
  async run(signal) {
    const { database, logger } = deps
    await asWorker(database, async (systemScope) => {
      await store.addMissingExports(systemScope)
      await store.advanceChangedExports(systemScope, INTERVAL_MS)
    })
    let pages = 0
    while (pages < MAX_PAGES_PER_RUN && !signal.aborted) {
      const owner = newId()
      const due = await asWorker(database, (systemScope) =>
        store.leaseExport(systemScope, { owner, leaseSeconds: LEASE_SECONDS }),
      )
      if (due === undefined) break
      pages++
      await updateExport(deps, { ...due, owner }).catch(async (error: unknown) => {
        const isLost = error instanceof LeaseLostError
        if (isLost) logger.info(due, 'page export was interrupted, restarting')
        else logger.error({ err: error, ...due }, 'page export failed')
        const delayMs = isLost ? 0 : INTERVAL_MS
        await write(deps.database, due, (scope) =>
          store.releaseLease(scope, { ...due, owner, delayMs }),
        )
      })
    }
    return pages
  },
})

interface LeasedExport extends store.DueExport {
  owner: string
}

const updateExport = async (deps: ExportDeps, lease: LeasedExport): Promise<void> => {
  const loaded = await loadExport(deps, lease)
  if (loaded === null) return
  const { row, slug, render, now } = loaded
  const publisher = new ExportPublisher(deps, lease)
  if (render === null) return removeFiles(deps, publisher, loaded)
  const files = await render()
  const isElsewhere = slug !== row.slug
  if (isElsewhere) await removeAll(deps, publisher, row)
  const before = isElsewhere ? {} : row.files
  const difference = await runCooperatively(compareWithExported(before, files))
  await recordPendingWrites(deps, { ...row, slug, files: before }, difference)
  await publisher.publish(slug, difference)
  await write(deps.database, lease, async (scope) => {
    const { files } = difference
    await store.saveExport(scope, { ...row, slug, files, exportedAt: now, clearedAt: null })
    await store.releaseLease(scope, { ...lease, delayMs: UNCHANGED_INTERVAL_MS })
  })
}

/**
 * Removes the files of a page that is not public, and once more later; then forgets the export.
 * Until then each run removes the files whose write was not confirmed.
 */
const removeFiles = async (
  deps: ExportDeps,
  publisher: ExportPublisher,
  { row, now }: LoadedExport,
) => {
  const { clearedAt } = row
  const isFirst = clearedAt === null
  const isLast = !isFirst && now.getTime() - clearedAt.getTime() >= CLEAR_AGAIN_MS
  const paths = Object.keys(row.files)
  const unconfirmed = paths.filter((path) => row.files[path] === NO_DIGEST)
  const removed = isFirst || isLast ? paths : unconfirmed
  await removeAll(deps, publisher, { ...row, files: withDigest(removed, NO_DIGEST) })
  await write(deps.database, row, async (scope) => {
    if (isLast) return store.removeExport(scope, row)
    const files = { ...withDigest(paths, REMOVED), ...withDigest(unconfirmed, NO_DIGEST) }
    const nextAt = new Date(scope.now.getTime() + INTERVAL_MS)
    await store.saveExport(scope, { ...row, files, nextAt, clearedAt: clearedAt ?? scope.now })
  })
}

const removeAll = async (
  { database }: ExportDeps,
  publisher: ExportPublisher,
  row: PageExportRow,
) => {
  const taken = await asWorker(database, (systemScope) =>
    store.listFilesOfOtherPages(systemScope, row),
  )
  const paths = Object.keys(row.files).filter((path) => !taken.has(path))
  await publisher.remove(row.slug, paths)
}

/** Digest of a file that may be incomplete or missing, or stored late. */
const NO_DIGEST = ''
/** Digest of a removed file whose write was confirmed before. */
const REMOVED = 'removed'

const withDigest = (paths: readonly string[], digest: string): Record<string, string> =>
  Object.fromEntries(paths.map((path) => [path, digest]))

/** Records the paths before they are written, so that a later run completes or removes them. */
const recordPendingWrites = async (
  deps: ExportDeps,
  row: PageExportRow,
  { written }: ExportDifference,
): Promise<void> => {
  if (written.length === 0) return
  const paths = written.map(({ path }) => path)
  await write(deps.database, row, async (scope) => {
    const files = { ...row.files, ...withDigest(paths, NO_DIGEST) }
    const isSaved = await store.saveExport(scope, { ...row, files, clearedAt: null })
    if (!isSaved) throw new LeaseLostError()
  })
}

interface LoadedExport {
  row: PageExportRow
  slug: string
  /** Null when the page is private or deleted. */
  render: RenderFiles | null
  now: Date
}

/** Returns null when the lease was lost. */
const loadExport = (
  { database, baseUrl }: ExportDeps,
  { organizationId, statusPageId, owner }: LeasedExport,
): Promise<LoadedExport | null> =>
  read(database, organizationId, async (scope) => {
    const { now } = scope
    const row = await store.findExport(scope, statusPageId)
    if (row?.owner !== owner) return null
    const [page] = await findPages(scope, [statusPageId])
    if (page === undefined || !page.isPublished || page.visibility !== 'public') {
      return { row, slug: row.slug, render: null, now }
    }
    const view = await createPageView(scope, page, baseUrl)
    return { row, slug: page.slug, render: await prepareStaticPageFiles(view, database), now }
  })

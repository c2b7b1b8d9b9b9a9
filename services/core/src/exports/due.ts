/**
 * Keeps written pages like the pages: each is looked at in turn, and what differs is written. A page that
 * is no longer for everybody is taken away again, file by file.
 */
import { systemActor } from '@status-page/contracts'
import { change, crossDue, type Database, type DueWork, read } from '@status-page/postgres'
import type { Logger } from '@status-page/service'
import { viewOf } from '../public/gate.ts'
import { findPages } from '../status-pages/store.ts'
import type { PageExportRow } from '../tables.ts'
import { type Difference, differenceOf } from './difference.ts'
import { type ExportedFile, filesOf } from './files.ts'
import * as store from './store.ts'
import type { Target } from './target.ts'

/** Between two looks at one page; a change is written within it while there are few pages. */
const INTERVAL_MS = 15_000
const POLL_MS = 5_000
/** Looked at one after another; the others come in the next batch, at once. */
const BATCH = 8
/** Longer than a batch takes. */
const LEASE_SECONDS = 300
/** Files on their way at the same time. */
const SIDE_BY_SIDE = 4

interface ExportDeps {
  database: Database
  baseUrl: string
  target: Target
  logger: Logger
}

export const exportWork = (deps: ExportDeps): DueWork => ({
  name: 'static-export',
  intervalMs: POLL_MS,
  async run(signal) {
    const due = await crossDue(deps.database, async (crossing) => {
      await store.addNewPages(crossing)
      return store.leaseExports(crossing, { limit: BATCH, leaseSeconds: LEASE_SECONDS })
    })
    for (const one of due) {
      if (signal.aborted) break
      await follow(deps, one).catch((error: unknown) => {
        deps.logger.error({ err: error, ...one }, 'a page could not be written to its files')
      })
    }
    return due.length
  },
})

const follow = async (deps: ExportDeps, { organizationId, statusPageId }: store.DueExport) => {
  const { database, target } = deps
  const known = await look(deps, organizationId, statusPageId)
  if (known === null) return
  const { row, slug, files } = known
  const isElsewhere = slug !== row.slug
  if (isElsewhere || files === null) {
    const taken = await crossDue(database, (crossing) => store.filesOfOthers(crossing, row))
    const removed = Object.keys(row.files).filter((path) => !taken.has(path))
    await carryOut(target, row.slug, { written: [], removed, files: {} })
  }
  const before = isElsewhere ? {} : row.files
  const difference = differenceOf(before, files ?? [])
  if (files !== null) {
    await announce(deps, { ...row, slug, files: before }, difference)
    await carryOut(target, slug, difference)
  }
  await change(database, { organizationId, actor: systemActor }, async (scope) => {
    if (files === null) await store.removeExport(scope, statusPageId)
    else {
      const nextAt = new Date(scope.now.getTime() + INTERVAL_MS)
      const { files } = difference
      await store.saveExport(scope, { ...row, slug, files, nextAt, exportedAt: scope.now })
    }
    return { result: undefined, events: [], audit: [] }
  })
}

/** Of nothing that was ever written. */
const NO_DIGEST = ''

/** What was written half is known all the same: it is written anew, or removed once it is not public. */
const announce = async (
  { database }: ExportDeps,
  row: PageExportRow,
  { written }: Difference,
): Promise<void> => {
  if (written.length === 0) return
  const begun = Object.fromEntries(written.map(({ path }) => [path, NO_DIGEST]))
  await change(
    database,
    { organizationId: row.organizationId, actor: systemActor },
    async (scope) => {
      await store.saveExport(scope, { ...row, files: { ...row.files, ...begun } })
      return { result: undefined, events: [], audit: [] }
    },
  )
}

interface Look {
  row: PageExportRow
  slug: string
  /** Null: the page is not for everybody, or is gone. */
  files: ExportedFile[] | null
}

const look = (
  { database, baseUrl }: ExportDeps,
  organizationId: string,
  statusPageId: string,
): Promise<Look | null> =>
  read(database, organizationId, async (scope) => {
    const row = await store.findExport(scope, statusPageId)
    if (row === undefined) return null
    const [page] = await findPages(scope, [statusPageId])
    if (page === undefined || !page.isPublished || page.visibility !== 'public') {
      return { row, slug: row.slug, files: null }
    }
    return { row, slug: page.slug, files: await filesOf(await viewOf(scope, page, baseUrl)) }
  })

/** The page itself comes last, so that it never leads to what is not there yet. */
const carryOut = async (target: Target, folder: string, { written, removed }: Difference) => {
  const [first, ...others] = written.toSorted(
    (a, b) => Number(b.path === 'index.html') - Number(a.path === 'index.html'),
  )
  const index = first?.path === 'index.html' ? first : null
  const rest = index === null && first !== undefined ? [first, ...others] : others
  await sideBySide(rest, (file) => target.write(folder, file))
  if (index !== null) await target.write(folder, index)
  await sideBySide(removed, (path) => target.remove(folder, path))
}

const sideBySide = async <One>(all: readonly One[], work: (one: One) => Promise<void>) => {
  const waiting = [...all]
  const worker = async () => {
    for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await work(one)
  }
  await Promise.all(Array.from({ length: SIDE_BY_SIDE }, worker))
}

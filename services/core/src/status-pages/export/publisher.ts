import { asWorker, type Database, write } from '@status-page/postgres'
import type { ExportDifference } from './difference.ts'
import { type ExportedFile, loadFile } from './exported-file.ts'
import * as store from './store.ts'
import type { ExportTarget } from './target.ts'

/** Renewed before and after each file; longer than the timeout of one write. */
export const LEASE_SECONDS = 120
/** Files that are written or removed in parallel. */
const MAX_PARALLEL_FILES = 4

/**
 * Thrown when another run has the lease, or the page changed its access or slug; the next run
 * starts over.
 */
export class LeaseLostError extends Error {
  constructor() {
    super('The lease of the export was lost')
    this.name = 'LeaseLostError'
  }
}

interface PublisherDeps {
  database: Database
  target: ExportTarget
}

interface LeasedExport extends store.DueExport {
  owner: string
}

export class ExportPublisher {
  readonly #database: Database
  readonly #target: ExportTarget
  readonly #lease: LeasedExport

  constructor({ database, target }: PublisherDeps, lease: LeasedExport) {
    this.#database = database
    this.#target = target
    this.#lease = lease
  }

  /** Writes `index.html` last, so that it never links to a file that does not exist yet. */
  async publish(slug: string, { written, removed }: ExportDifference): Promise<void> {
    const index = written.filter(({ path }) => path === 'index.html')
    const others = written.filter(({ path }) => path !== 'index.html')
    await inParallel(others, (file) => this.#write(slug, file))
    await inParallel(index, (file) => this.#write(slug, file))
    await this.remove(slug, removed)
  }

  async remove(slug: string, paths: readonly string[]): Promise<void> {
    await inParallel(paths, async (path) => {
      const { isOwner } = await this.#permit()
      if (!isOwner) throw new LeaseLostError()
      await this.#target.remove(slug, path)
    })
  }

  async #write(slug: string, file: ExportedFile): Promise<void> {
    const before = await this.#permit()
    if (!before.isOwner || before.publicSlug !== slug) throw new LeaseLostError()
    const loaded = await loadFile(file)
    const failures: unknown[] = []
    // A target may store a file although its write failed.
    await this.#target.write(slug, loaded).catch((error: unknown) => failures.push(error))
    const after = await this.#permit()
    if (after.isOwner && after.publicSlug === slug) {
      if (failures.length > 0) throw failures[0]
      return
    }
    try {
      if (after.publicSlug !== slug) await this.#target.remove(slug, file.path)
    } finally {
      await asWorker(this.#database, (systemScope) =>
        store.markFileUnwritten(systemScope, { slug, path: file.path }),
      )
    }
    throw new LeaseLostError()
  }

  #permit(): Promise<store.LeaseRenewal> {
    const { organizationId, statusPageId, owner } = this.#lease
    const lease = { statusPageId, owner, leaseSeconds: LEASE_SECONDS }
    return write(this.#database, { organizationId }, (scope) => store.renewLease(scope, lease))
  }
}

/** Waits for all work that has begun before it rejects; after a failure no more work begins. */
const inParallel = async <Item>(
  items: readonly Item[],
  work: (item: Item) => Promise<void>,
): Promise<void> => {
  const waiting = [...items]
  const worker = async () => {
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) {
      try {
        await work(item)
      } catch (error) {
        waiting.length = 0
        throw error
      }
    }
  }
  const workers = Array.from({ length: MAX_PARALLEL_FILES }, worker)
  const failed = (await Promise.allSettled(workers)).find(({ status }) => status === 'rejected')
  if (failed !== undefined) throw (failed as PromiseRejectedResult).reason
}

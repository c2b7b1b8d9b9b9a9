/**
 * Publishes the reports of vendors to their followers. A row stays due until the transaction of its
 * event commits, so that a killed process loses no report.
 */
import { isDeepStrictEqual } from 'node:util'
import {
  draftEvent,
  type EventDraft,
  systemActor,
  vendorStatusChanged,
} from '@status-page/contracts'
import {
  chunksOf,
  createDueItemsRun,
  type Database,
  hasDueRow,
  type Job,
  type Scope,
  transact,
} from '@status-page/postgres'
import {
  type DueFollowers,
  deleteTombstones,
  type FollowerRow,
  findDueFollowers,
  findPolledPages,
  lockFollowers,
  saveReport,
} from './followers.ts'
import { deleteUnusedPages } from './pages.ts'
import { type VendorPage, vendorReportOf } from './report.ts'

const INTERVAL_MS = 1_000
/** Followers per run. */
const MAX_DUE = 1_000
/** Followers per transaction. */
const BATCH = 50
const HOUSEKEEPING_MS = 3_600_000

export const vendorReportJobs = (database: Database): Job[] => [
  {
    name: 'vendor-reports',
    intervalMs: INTERVAL_MS,
    due: hasDueRow('vendor_followers', 'due_at'),
    run: createDueItemsRun<DueFollowers>({
      batchSize: MAX_DUE,
      find: (limit) => findDueFollowers(database, limit),
      keyOf: ({ organizationId }) => organizationId,
      work: async ({ organizationId, componentIds }) => {
        for (const ids of chunksOf(componentIds, BATCH)) {
          await transact(database, { organizationId, actor: systemActor }, async (scope) => ({
            result: undefined,
            events: await publishReports(scope, ids),
            audit: [],
          }))
        }
        return true
      },
    }),
  },
  {
    name: 'delete-unused-vendor-pages',
    intervalMs: HOUSEKEEPING_MS,
    run: async () => (await deleteTombstones(database)) + (await deleteUnusedPages(database)),
  },
]

const publishReports = async (scope: Scope, ids: readonly string[]): Promise<EventDraft[]> => {
  const followers = (await lockFollowers(scope, ids)).filter(({ dueAt }) => dueAt !== null)
  const urls = new Set(followers.flatMap(({ pageUrl }) => pageUrl ?? []))
  const pages = await findPolledPages(scope, [...urls])
  const events: EventDraft[] = []
  for (const follower of followers) {
    const report = newReportOf(follower, pages.get(follower.pageUrl ?? ''), scope.now)
    await saveReport(scope, follower, report)
    if (report !== null) events.push(reportEvent(follower, report))
  }
  return events
}

/** Null when it is the published one, or the page has not been polled yet. */
const newReportOf = (
  { upstream, report: previous }: FollowerRow,
  page: VendorPage | undefined,
  now: Date,
) => {
  if (page === undefined || upstream === null) return null
  const report = vendorReportOf({ page, component: upstream.component, previous, now })
  return isDeepStrictEqual(report, previous) ? null : report
}

const reportEvent = (
  { componentId, name, upstream, reportVersion }: FollowerRow,
  report: NonNullable<FollowerRow['report']>,
): EventDraft =>
  draftEvent(
    vendorStatusChanged,
    { id: componentId, version: reportVersion + 1 },
    {
      vendorStatus: {
        componentId,
        name,
        upstream: upstream as NonNullable<FollowerRow['upstream']>,
        report,
      },
    },
  )

/** Jobs of incident drafts: publish each due draft once, delete old drafts. */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  hasDueRow,
  type Job,
  transact,
} from '@status-page/postgres'
import { publishDraft } from './publish.ts'
import * as store from './store.ts'

const PUBLISH_INTERVAL_MS = 5_000
const DELETION_INTERVAL_MS = 3_600_000
const BATCH = 100
const RETENTION_DAYS = 90
const DAY_MS = 86_400_000

interface DraftDeps {
  database: Database
  baseUrl: string
}

export const incidentDraftJobs = ({ database, baseUrl }: DraftDeps): Job[] => [
  {
    name: 'publish-drafts',
    intervalMs: PUBLISH_INTERVAL_MS,
    due: hasDueRow('incident_drafts', 'publish_at'),
    run: createDueItemsRun({
      batchSize: BATCH,
      find: (limit) => asWorker(database, (systemScope) => store.findDueDrafts(systemScope, limit)),
      keyOf: ({ id }) => id,
      work: (draft) => publishDue({ database, baseUrl }, draft),
    }),
  },
  {
    name: 'delete-old-drafts',
    intervalMs: DELETION_INTERVAL_MS,
    run: () =>
      asWorker(database, (systemScope) =>
        store.deleteOldDrafts(systemScope, {
          before: new Date(systemScope.now.getTime() - RETENTION_DAYS * DAY_MS),
          limit: BATCH,
        }),
      ),
  },
]

/**
 * Checks the draft again under its lock, because another replica may have published it or a user
 * vetoed it.
 */
const publishDue = (
  { database, baseUrl }: DraftDeps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<boolean> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const draft = await store.lockDraft(scope, id)
    const isDue = draft?.publishAt != null && draft.publishAt <= scope.now
    if (draft === undefined || !isDue) return { result: false }
    // An alert comes from a program, like a request with an API key.
    const options = { source: 'api' as const, notifySubscribers: true, baseUrl }
    const { events, audit } = await publishDraft(scope, draft, options)
    return { result: true, events, audit }
  })

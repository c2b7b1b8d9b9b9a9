/** Drafts that nobody has vetoed in time publish themselves, each once; old ones are forgotten. */
import { systemActor } from '@status-page/contracts'
import { asWorker, type Database, dueItems, type Job, transact } from '@status-page/postgres'
import { publishDraft } from './publish.ts'
import * as store from './store.ts'

const PUBLISH_MS = 5_000
const FORGET_MS = 3_600_000
const BATCH = 100
const KEPT_DAYS = 90
const DAY_MS = 86_400_000

interface DraftDeps {
  database: Database
  baseUrl: string
}

export const draftWork = ({ database, baseUrl }: DraftDeps): Job[] => [
  {
    name: 'publish-drafts',
    intervalMs: PUBLISH_MS,
    run: dueItems({
      batchSize: BATCH,
      find: (limit) => asWorker(database, (systemScope) => store.dueDrafts(systemScope, limit)),
      keyOf: ({ id }) => id,
      work: (one) => publishDue({ database, baseUrl }, one),
    }),
  },
  {
    name: 'forget-drafts',
    intervalMs: FORGET_MS,
    run: () =>
      asWorker(database, (systemScope) =>
        store.forgetDrafts(systemScope, {
          before: new Date(systemScope.now.getTime() - KEPT_DAYS * DAY_MS),
          limit: BATCH,
        }),
      ),
  },
]

/** Looked at again under the lock: another replica, or a veto, may have come first. */
const publishDue = (
  { database, baseUrl }: DraftDeps,
  { organizationId, id }: { organizationId: string; id: string },
): Promise<boolean> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const draft = await store.lockDraft(scope, id)
    const isDue = draft?.publishAt != null && draft.publishAt <= scope.now
    if (draft === undefined || !isDue) return { result: false, events: [], audit: [] }
    // An alert is a program that speaks to us, like one that calls the API.
    const by = { source: 'api' as const, notifySubscribers: true, baseUrl }
    const { events, audit } = await publishDraft(scope, draft, by)
    return { result: true, events, audit }
  })

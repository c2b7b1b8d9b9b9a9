/** Job that deletes the subscriptions to an incident some days after its resolution. */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  type Job,
  transact,
} from '@status-page/postgres'
import type { Authenticator } from '@status-page/secrets'
import { lockIncident } from '../incidents/store.ts'
import { saveWithdrawnAddresses } from './erased-addresses.ts'
import { auditSubscriber, subscriberDeletedEvent } from './rules.ts'
import { type EndedIncident, listEndedIncidents, removeSubscribersOfIncident } from './store.ts'

const INTERVAL_MS = 600_000
/** Maximum number of incidents in one run. */
const BATCH = 100
/** Maximum number of subscribers in one transaction. */
const CHUNK_ROWS = 500
const DAY_MS = 86_400_000
/**
 * Longer than any message is retried, so that the resolution is delivered; an incident that is
 * reopened and its postmortem reach its subscribers, too.
 */
const RETENTION_MS = 7 * DAY_MS

interface JobDeps {
  database: Database
  /** Keys the hashes of addresses whose owner complained. */
  erasedAddress: Authenticator
}

export const incidentSubscriptionJob = (deps: JobDeps): Job => ({
  name: 'incident-subscriptions',
  intervalMs: INTERVAL_MS,
  run: createDueItemsRun({
    batchSize: BATCH,
    find: (limit) =>
      asWorker(deps.database, (systemScope) =>
        listEndedIncidents(systemScope, endBefore(systemScope), limit),
      ),
    keyOf: ({ incidentId }) => incidentId,
    async work(ended) {
      let removed = 0
      do removed = await removeChunk(deps, ended)
      while (removed === CHUNK_ROWS)
      return true
    },
  }),
})

const endBefore = ({ now }: { now: Date }): Date => new Date(now.getTime() - RETENTION_MS)

/** Returns the number of deleted subscribers; none where the incident was reopened. */
const removeChunk = (
  { database, erasedAddress }: JobDeps,
  { organizationId, incidentId }: EndedIncident,
): Promise<number> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const incident = (await lockIncident(scope, incidentId))?.incident
    const isOver =
      incident === undefined ||
      (incident.resolvedAt !== null && incident.resolvedAt < endBefore(scope))
    if (!isOver) return { result: 0 }
    const rows = await removeSubscribersOfIncident(scope, incidentId, CHUNK_ROWS)
    await saveWithdrawnAddresses(erasedAddress, scope, rows)
    return {
      result: rows.length,
      events: rows.map(subscriberDeletedEvent),
      audit: rows.map((row) => auditSubscriber('delete', row, row)),
    }
  })

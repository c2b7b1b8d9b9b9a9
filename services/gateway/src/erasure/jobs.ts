/**
 * Jobs that delete organizations: the first starts a deletion when its withdrawal period has ended,
 * the second removes the organization when every service has sent its receipt. Each step commits
 * separately, so that the deletion continues after a crash.
 */
import {
  draftEvent,
  organizationDeleted,
  systemActor,
  type TransactionOutcome,
} from '@status-page/contracts'
import {
  asWorker,
  createDueItemsRun,
  type Database,
  type Job,
  requestErasure,
  transact,
  write,
} from '@status-page/postgres'
import type { Logger } from '@status-page/service'
import {
  type Credentials,
  organizationRevocationKey,
  publishRevocations,
} from '../identity/sessions/credentials.ts'
import * as store from './store.ts'

const INTERVAL_MS = 30_000
/** Maximum organizations per run. */
const MAX_ORGANIZATIONS = 100

export interface DeletionDeps {
  database: Database
  credentials: Pick<Credentials, 'invalidate'>
  /** Removes the cached pages of the organization. */
  purgePages(organizationId: string): void
  logger: Pick<Logger, 'info' | 'warn'>
}

export const deletionStartJob = (deps: DeletionDeps): Job => ({
  name: 'organization-deletion',
  intervalMs: INTERVAL_MS,
  run: createDueItemsRun({
    batchSize: MAX_ORGANIZATIONS,
    find: (limit) =>
      asWorker(deps.database, (systemScope) => store.dueDeletions(systemScope, limit)),
    keyOf: (organizationId) => organizationId,
    work: (organizationId) => startDeletion(deps, organizationId),
  }),
})

/**
 * Starts the deletion. After the commit, every credential of the organization is invalid and every
 * service deletes its rows.
 */
const startDeletion = async (
  { database, credentials, purgePages, logger }: DeletionDeps,
  organizationId: string,
): Promise<boolean> => {
  const revocationKey = organizationRevocationKey(organizationId)
  const isStarted = await transact(
    database,
    { organizationId, actor: systemActor },
    async (scope): Promise<TransactionOutcome<boolean>> => {
      const version = await store.startDeletion(scope)
      if (version === null) return { result: false }
      await requestErasure(scope)
      await publishRevocations(scope, [revocationKey])
      const subject = { id: organizationId, version }
      const events = [draftEvent(organizationDeleted, subject, { organizationId })]
      return { result: true, events, audit: [] }
    },
  )
  credentials.invalidate(revocationKey)
  purgePages(organizationId)
  if (isStarted) logger.info({ organizationId }, 'organization deletion started')
  return isStarted
}

interface RemovalDeps extends Pick<DeletionDeps, 'database' | 'logger'> {
  /** Returns whether no message of the organization is left; throws while NATS is unavailable. */
  purgeMessages(organizationId: string): Promise<boolean>
}

/** Last step: purges the organization's messages in NATS and deletes its row. */
export const deletionEndJob = (deps: RemovalDeps): Job => ({
  name: 'organization-removal',
  intervalMs: INTERVAL_MS,
  run: createDueItemsRun({
    batchSize: MAX_ORGANIZATIONS,
    find: (limit) =>
      asWorker(deps.database, (systemScope) => store.removableOrganizations(systemScope, limit)),
    keyOf: (organizationId) => organizationId,
    work: (organizationId) => remove(deps, organizationId),
  }),
})

const remove = async (
  { database, purgeMessages, logger }: RemovalDeps,
  organizationId: string,
): Promise<boolean> => {
  // One call erases a limited number of messages; the next run continues.
  if (!(await purgeMessages(organizationId))) return false
  await write(database, { organizationId }, store.removeOrganization)
  logger.info({ organizationId }, 'organization removed, all services confirmed')
  return true
}

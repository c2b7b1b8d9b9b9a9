/**
 * Synchronization of the gateway's own audit entries before a list is read, so that the list
 * contains everything that this service committed before the request, such as the revocation of a
 * key, even when the bus is delayed. Entries of other services arrive through the bus.
 */
import { catchUpOrganization, type ProjectionCatchUpOptions } from '@status-page/bus'
import { withTimeout } from '@status-page/concurrency'
import { auditRecorded, nounOfKind } from '@status-page/contracts'
import { auditEventHandler } from './handlers.ts'

/** Maximum time to wait, in ms; the bus delivers the rest of a long backlog. */
const TIMEOUT_MS = 500

export type SyncOwnEntries = (organizationId: string) => Promise<void>

export const createOwnEntriesSync = ({
  database,
  logger,
}: Pick<ProjectionCatchUpOptions, 'database' | 'logger'>): SyncOwnEntries => {
  const ownEntries = { ...auditRecorded, producers: ['gateway'] as const }
  const isUpToDate = catchUpOrganization({
    database,
    handler: { ...auditEventHandler, on: [ownEntries] },
    type: nounOfKind(auditRecorded.kind),
    logger,
  })
  return async (organizationId) => {
    const synced = isUpToDate(organizationId).catch((error: unknown) =>
      logger.warn({ err: error }, 'failed to consume own audit entries'),
    )
    await withTimeout(synced, TIMEOUT_MS, () => {})
  }
}

/** Job that deletes expired confirmations and addresses that were never confirmed. */
import {
  draftAudit,
  draftEvent,
  type EventDraft,
  subscriberDeleted,
  systemActor,
} from '@status-page/contracts'
import { asWorker, type Database, type Job, transactAsWorker } from '@status-page/postgres'
import {
  removeExpiredConfirmations,
  removeUnconfirmedSubscribers,
  type UnconfirmedSubscriber,
} from '../../subscribers/confirmation/store.ts'

const INTERVAL_MS = 600_000

export const subscriptionCleanupJob = (database: Database): Job => ({
  name: 'subscription-retention',
  intervalMs: INTERVAL_MS,
  async run() {
    const questions = await asWorker(database, removeExpiredConfirmations)
    const subscribers = await transactAsWorker(database, async (systemScope) => {
      const removed = await removeUnconfirmedSubscribers(systemScope)
      return { result: removed.length, organizations: removed.map(removalOf) }
    })
    return questions + subscribers
  },
})

const removalOf = (gone: UnconfirmedSubscriber) => ({
  organizationId: gone.organizationId,
  actor: systemActor,
  events: [deletionOf(gone)],
  audit: [draftAudit('subscriber.delete', { id: gone.id, name: null })],
})

/** Deletion event without an address, which no consumer needs any more. */
const deletionOf = ({ id, version, type, statusPageId }: UnconfirmedSubscriber): EventDraft =>
  draftEvent(
    subscriberDeleted,
    { id, version: version + 1 },
    {
      subscriber: {
        id,
        type,
        email: null,
        phone: null,
        webhookUrl: null,
        webhookSecret: null,
        componentIds: [],
        events: [],
        statusPageId,
        incidentId: null,
        status: 'unconfirmed',
        manageToken: null,
      },
    },
  )

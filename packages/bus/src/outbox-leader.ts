/** Work of one replica per service, under one lock: epoch, canary, sweep and settle, relay. */
import {
  canarySent,
  draftEvent,
  PLATFORM_ORGANIZATION_ID,
  type ServiceName,
  services,
  systemActor,
} from '@status-page/contracts'
import { type Database, newId, transact } from '@status-page/postgres'
import type { Logger } from 'pino'
import { reconcileEpoch } from './epoch.ts'
import type { Intervals } from './intervals.ts'
import type { Locks } from './locks.ts'
import type { NatsSession } from './nats-client.ts'
import type { NatsNames } from './nats-names.ts'
import type { Sql } from './outbox-queries.ts'
import { relayBatch } from './relay.ts'
import { sweepAndSettle } from './sweep.ts'

export interface OutboxLeaderOptions {
  database: Database
  service: ServiceName
  names: NatsNames
  locks: Locks
  intervals: Intervals
  clock: () => number
  logger: Pick<Logger, 'info' | 'error'>
  /** Null while publishing is pointless. */
  session: () => NatsSession | null
  epoch: () => string | null
  /** Whether NOTIFY announces new events; without it, the relay polls. */
  isListening: () => boolean
}

export interface OutboxLeader {
  runOnce(): Promise<number | undefined>
}

export const createOutboxLeader = (options: OutboxLeaderOptions): OutboxLeader => {
  const { database, service, names, intervals, clock, logger } = options
  const rejected = new Set<string>()
  const sweep = every(intervals.sweepMs, clock)
  const canary = every(intervals.canaryMs, clock)
  let reconciled: string | null = null

  const reconcile = async (sql: Sql, epoch: string) => {
    if (await reconcileEpoch(sql, epoch)) {
      rejected.clear()
      logger.info({ epoch }, 'epoch changed, republishing open events')
    }
    reconciled = epoch
  }
  const relay = async (sql: Sql): Promise<number | undefined> => {
    const session = options.session()
    const epoch = options.epoch()
    if (session === null || epoch === null) return undefined
    if (epoch !== reconciled) await reconcile(sql, epoch)
    const timeoutMs = intervals.requestTimeoutMs
    const batch = { sql, service, names, session, epoch, timeoutMs, rejected, logger }
    const { more, empty } = await relayBatch(batch)
    if (more) return 0
    // New rows are announced by NOTIFY; the observer finds those whose notification was lost.
    return empty && options.isListening() ? Math.min(sweep.restMs(), canary.restMs()) : undefined
  }

  return {
    async runOnce() {
      const sql = await options.locks.acquire(`relay:${database.schema}`)
      if (sql === null) return undefined
      if (canary.isDue()) await sendCanary(database, service)
      if (sweep.isDue()) {
        const swept = await sweepAndSettle(sql, services, intervals.republishMs)
        if (swept.republished > 0) logger.info(swept, 'republishing unhandled events')
      }
      return relay(sql)
    },
  }
}

/** Work that is due once per interval, first one interval after the start. */
const every = (intervalMs: number, clock: () => number) => {
  let dueMs = clock() + intervalMs
  return {
    /** True at most once per interval. */
    isDue() {
      if (clock() < dueMs) return false
      dueMs = clock() + intervalMs
      return true
    },
    restMs: () => Math.max(1, dueMs - clock()),
  }
}

const sendCanary = (database: Database, service: ServiceName): Promise<null> =>
  transact(
    database,
    { organizationId: PLATFORM_ORGANIZATION_ID, actor: systemActor },
    async ({ now }) => ({
      result: null,
      events: [
        draftEvent(canarySent, { id: newId(), version: 1 }, { service, sentAt: now.toISOString() }),
      ],
      audit: [],
    }),
  )

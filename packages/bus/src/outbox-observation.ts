/** Ages and counts of the service's outbox and inbox, for metrics, readiness and alarms. */
import {
  type Database,
  MAX_ATTEMPTS,
  missingConsumers,
  REGISTERED_CONSUMERS,
} from '@status-page/postgres'
import type { Logger } from 'pino'
import type { EventHandler } from './event-handler.ts'
import { runStatement } from './outbox-queries.ts'

export interface OutboxObservation {
  unpublishedAgeSeconds: number
  unsettledAgeSeconds: number
  deadEvents: number
  unregistered: readonly string[]
}

export const EMPTY_OBSERVATION: OutboxObservation = {
  unpublishedAgeSeconds: 0,
  unsettledAgeSeconds: 0,
  deadEvents: 0,
  unregistered: [],
}

const UNPUBLISHED_ALARM_SECONDS = 30
const UNSETTLED_ALARM_SECONDS = 120

const ageOf = (condition: string) => `coalesce(greatest(0, extract(epoch FROM now() -
  (SELECT occurred_at FROM outbox WHERE ${condition} ORDER BY seq LIMIT 1))), 0)::float8`

export interface ObserverOptions {
  database: Database
  eventHandlers: readonly EventHandler[]
  /** Condition in SQL of a late event of a producer. */
  isAnyEventLate: string
}

export const observeOutbox = async ({
  database,
  eventHandlers,
  isAnyEventLate,
}: ObserverOptions): Promise<{ observation: OutboxObservation; isAnyEventLate: boolean }> => {
  const [row] = await runStatement<Omit<OutboxObservation, 'unregistered'> & ObservedElsewhere>(
    database.batchSql,
    `SELECT ${ageOf('published_at IS NULL AND settled_at IS NULL')} AS "unpublishedAgeSeconds",
       ${ageOf('settled_at IS NULL')} AS "unsettledAgeSeconds",
       (SELECT count(*)::int FROM dead_event WHERE tries >= ${MAX_ATTEMPTS} AND resolved_at IS NULL)
         AS "deadEvents",
       ${REGISTERED_CONSUMERS} AS registered, ${isAnyEventLate} AS "isLate"`,
  )
  const { registered, isLate, ...observed } = row ?? { registered: null, isLate: false }
  const unregistered = missingConsumers(registered, eventHandlers)
  return {
    observation: { ...EMPTY_OBSERVATION, ...observed, unregistered },
    isAnyEventLate: isLate,
  }
}

interface ObservedElsewhere {
  registered: string[] | null
  isLate: boolean
}

type Alarm = 'unpublished' | 'unsettled' | 'dead_event' | 'round_trip'

/** Logs one line when an alarm begins and one when it ends. */
export const createOutboxAlarms = (logger: Pick<Logger, 'error' | 'info'>) => {
  const active = new Set<Alarm>()
  return {
    set(observation: OutboxObservation, bus: { isConfigured: boolean; isBypassing: boolean }) {
      const conditions: Record<Alarm, boolean> = {
        unpublished:
          bus.isConfigured && observation.unpublishedAgeSeconds > UNPUBLISHED_ALARM_SECONDS,
        unsettled: observation.unsettledAgeSeconds > UNSETTLED_ALARM_SECONDS,
        dead_event: observation.deadEvents > 0,
        round_trip: bus.isConfigured && bus.isBypassing,
      }
      for (const [alarm, isOn] of Object.entries(conditions) as [Alarm, boolean][]) {
        if (isOn && !active.has(alarm))
          logger.error({ alarm, ...observation }, alarmMessages[alarm])
        if (!isOn && active.has(alarm)) logger.info({ alarm }, 'alarm resolved')
        if (isOn) active.add(alarm)
        else active.delete(alarm)
      }
    },
  }
}

const alarmMessages: Record<Alarm, string> = {
  unpublished: 'Events are not relayed: check the errors of the relay',
  unsettled: 'Consumers are missing events: check for a service that is down',
  dead_event:
    'Events are quarantined: fix the event handler, then run the service with the argument requeue',
  round_trip: 'JetStream does not respond: free its disk, then SIGKILL and restart nats-server',
}

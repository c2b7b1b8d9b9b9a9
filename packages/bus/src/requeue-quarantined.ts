/** Quarantined events: list them, and handle one again after a fix; `resolved_at` admits it once. */
import { AppError, notFound, systemActor } from '@status-page/contracts'
import { type Database, MAX_ATTEMPTS, transact } from '@status-page/postgres'
import { isUuid, parseEnvelope } from './envelope.ts'
import type { EventHandler } from './event-handler.ts'
import { runStatement } from './outbox-queries.ts'

export interface RequeueOptions {
  database: Database
  eventHandlers: readonly EventHandler[]
  consumer: string
  eventId: string
}

export interface QuarantinedEvent {
  consumer: string
  eventId: string
  subject: string
  error: string | null
}

/** Maximum number of listed events; the number of all is `bus_dead_events`. */
const MAX_LISTED = 1_000

/** Quarantined events of the service, the oldest first. */
export const listQuarantined = (database: Database): Promise<QuarantinedEvent[]> =>
  runStatement<QuarantinedEvent>(
    database.batchSql,
    `SELECT consumer, event_id AS "eventId", subject, error FROM dead_event
      WHERE tries >= ${MAX_ATTEMPTS} AND resolved_at IS NULL
      ORDER BY event_id, consumer LIMIT ${MAX_LISTED}`,
    [],
  )

interface DeadRow {
  subject: string
  raw: Buffer
}

/**
 * Resolves when the handler has committed; throws its error, or NOT_FOUND when no such event is
 * quarantined.
 */
export const requeueDead = async (options: RequeueOptions): Promise<void> => {
  const { database, consumer, eventId } = options
  const handler = options.eventHandlers.find((other) => other.consumer === consumer)
  if (handler === undefined || !isUuid(eventId)) throw notFound()
  const [row] = await runStatement<DeadRow>(
    database.batchSql,
    `SELECT subject, raw FROM dead_event WHERE consumer = $1::text AND event_id = $2::uuid
        AND tries >= ${MAX_ATTEMPTS} AND resolved_at IS NULL`,
    [consumer, eventId],
  )
  if (row === undefined) throw notFound()
  const envelope = parseEnvelope(handler.on, {
    eventId,
    subject: row.subject,
    raw: Buffer.from(row.raw),
  })
  await transact(
    database,
    { organizationId: envelope.organizationId, actor: systemActor },
    async (scope) => {
      // Both texts are safe to interpolate: a registered consumer's name and a UUID.
      const updated = await scope.tx.execute(
        `UPDATE dead_event SET resolved_at = now() WHERE consumer = '${handler.consumer}'
            AND event_id = '${eventId}' AND resolved_at IS NULL RETURNING 1`,
      )
      if (updated.length === 0) throw new AppError('CONFLICT', 'The event was already requeued')
      return { result: undefined, ...(await handler.handle(scope, envelope)) }
    },
  )
}

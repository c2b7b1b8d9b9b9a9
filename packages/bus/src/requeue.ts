/** Requeue: a quarantined event runs again after the fix; `resolved_at` lets it through once. */
import { AppError, notFound, systemActor } from '@status-page/contracts'
import { type Database, MAX_ATTEMPTS, transact } from '@status-page/postgres'
import { isUuid, openEnvelope } from './envelope.ts'
import type { EventHandler } from './event-handler.ts'
import { run } from './outbox-queries.ts'

export interface RequeueOptions {
  database: Database
  reactions: readonly EventHandler[]
  consumer: string
  eventId: string
}

interface DeadRow {
  subject: string
  raw: Buffer
}

/** Resolves when the reaction has committed; throws its error, or NOT_FOUND when none is dead. */
export const requeueDead = async (options: RequeueOptions): Promise<void> => {
  const { database, consumer, eventId } = options
  const reaction = options.reactions.find((other) => other.consumer === consumer)
  if (reaction === undefined || !isUuid(eventId)) throw notFound()
  const [row] = await run<DeadRow>(
    database.batchSql,
    `SELECT subject, raw FROM dead_event WHERE consumer = $1::text AND event_id = $2::uuid
        AND tries >= ${MAX_ATTEMPTS} AND resolved_at IS NULL`,
    [consumer, eventId],
  )
  if (row === undefined) throw notFound()
  const envelope = openEnvelope(reaction.on, {
    eventId,
    subject: row.subject,
    raw: Buffer.from(row.raw),
  })
  await transact(
    database,
    { organizationId: envelope.organizationId, actor: systemActor },
    async (scope) => {
      // Both texts are proven: the consumer is one of ours, the id a UUID.
      const gate = await scope.tx.execute(
        `UPDATE dead_event SET resolved_at = now() WHERE consumer = '${reaction.consumer}'
            AND event_id = '${eventId}' AND resolved_at IS NULL RETURNING 1`,
      )
      if (gate.length === 0) throw new AppError('CONFLICT', 'The event was already requeued')
      return reaction.handle(scope, envelope)
    },
  )
}

/**
 * Fan-out in chunks for audiences too large for one transaction; each chunk commits its progress,
 * so that a crash repeats nothing.
 */
import type { Envelope } from '@status-page/contracts'
import { type Database, faultPoint, read, type Scope, write } from '@status-page/postgres'
import { and, eq, type SQL, sql } from 'drizzle-orm'
import { fanouts, NIL_UUID } from '../../tables.ts'
import {
  fanOut,
  isSuperseded,
  matchingDestinations,
  saveFanOutEvent,
  wakeDeliveryWorkers,
} from './fan-out.ts'
import type { RecipientMatch } from './match.ts'
import { supersedePendingDeliveries } from './supersede.ts'

/**
 * Minimum number of destinations for a chunked fan-out; a smaller one runs in the transaction of
 * the receipt.
 */
const MIN_CHUNKED_DESTINATIONS = 20_000
const CHUNK_SIZE = 5_000
const MAX_UUID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** Processes all full chunks. The transaction of the receipt processes the rest. */
export const fanOutInChunks = async (
  database: Database,
  event: Envelope,
  match: RecipientMatch,
): Promise<void> => {
  const { organizationId } = event
  if (!(await read(database, organizationId, (scope) => isLarge(scope, match)))) return
  const processNext = () =>
    write(database, { organizationId }, (scope) => processChunk(scope, event, match))
  while (await processNext()) faultPoint('fanout.between_chunks')
}

/** Fans out to the destinations after the last chunk, or to all when there was none. */
export const completeFanOut = async (
  scope: Scope,
  event: Envelope,
  match: RecipientMatch,
): Promise<void> => {
  await saveFanOutEvent(scope, event)
  const after = await lockProgress(scope, event.id)
  const rest = after === null ? null : { after, through: MAX_UUID }
  await fanOut(scope, event, match, rest)
  await supersedePendingDeliveries(scope, event.id, rest)
  await wakeDeliveryWorkers(scope)
}

/** Selects the recipients, like the fan-out, only if the organization has enough destinations. */
const isLarge = async (scope: Scope, match: RecipientMatch): Promise<boolean> => {
  const areMany = (destinations: SQL) => sql`(SELECT count(*) >= ${MIN_CHUNKED_DESTINATIONS}
    FROM (SELECT ${destinations} LIMIT ${MIN_CHUNKED_DESTINATIONS}) counted)`
  const all = sql`FROM destinations WHERE organization_id = ${scope.organizationId}`
  const rows = await scope.tx.execute<{ many: boolean }>(sql`
    SELECT ${areMany(all)} AND ${areMany(matchingDestinations(scope, match))} AS many`)
  return rows[0]?.many === true
}

/** Processes one full chunk; false when fewer destinations are left. */
const processChunk = async (
  scope: Scope,
  event: Envelope,
  match: RecipientMatch,
): Promise<boolean> => {
  if (await isSuperseded(scope, event)) return false
  await saveFanOutEvent(scope, event)
  const after = await lockProgress(scope, event.id)
  const rows = await scope.tx.execute<{ id: string }>(sql`
    SELECT d.id ${matchingDestinations(scope, match)} AND d.id > ${after ?? NIL_UUID}::uuid
    ORDER BY d.id OFFSET ${CHUNK_SIZE - 1} LIMIT 1`)
  const through = rows[0]?.id
  if (through === undefined) return false
  const chunk = { after, through }
  await fanOut(scope, event, match, chunk)
  await supersedePendingDeliveries(scope, event.id, chunk)
  await scope.tx
    .update(fanouts)
    .set({ afterDestination: through })
    .where(isFanoutOf(scope, event.id))
  await wakeDeliveryWorkers(scope)
  return true
}

const isFanoutOf = ({ organizationId }: Scope, eventId: string) =>
  and(eq(fanouts.organizationId, organizationId), eq(fanouts.eventId, eventId))

/**
 * Reads the progress under a row lock: two replicas with the same event process chunks one after
 * another.
 */
const lockProgress = async (scope: Scope, eventId: string): Promise<string | null> => {
  const [row] = await scope.tx
    .select({ after: fanouts.afterDestination })
    .from(fanouts)
    .where(isFanoutOf(scope, eventId))
    .for('update')
  return row?.after ?? null
}

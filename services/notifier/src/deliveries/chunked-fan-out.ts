/** A fan-out too large for one transaction: in parts, each of which moves a mark that no crash loses. */
import { type Envelope, systemActor } from '@status-page/contracts'
import { type Database, faultPoint, read, type Scope, transact } from '@status-page/postgres'
import { and, eq, sql } from 'drizzle-orm'
import { fanouts } from '../tables.ts'
import { fanOut, isOldNews, keepEvent, ringDeliveries, supersede, wanting } from './fan-out.ts'
import { NIL } from './leases.ts'
import type { Match } from './match.ts'

/** From so many destinations on; fewer go in the transaction of the receipt. */
const LARGE = 20_000
const PART = 5_000
const LAST = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** All full parts. What is left is for the transaction that has the receipt. */
export const fanOutInParts = async (
  database: Database,
  event: Envelope,
  match: Match,
): Promise<void> => {
  const { organizationId } = event
  if (!(await read(database, organizationId, (scope) => isLarge(scope, match)))) return
  const by = { organizationId, actor: systemActor }
  const takePart = () =>
    transact(database, by, async (scope) => ({
      result: await takeNext(scope, event, match),
      events: [],
      audit: [],
    }))
  while (await takePart()) faultPoint('fanout.between_chunks')
}

/** What the parts before have left; all of it when there were none. */
export const announce = async (scope: Scope, event: Envelope, match: Match): Promise<void> => {
  await keepEvent(scope, event)
  const after = await reached(scope, event.id)
  const rest = after === null ? null : { after, through: LAST }
  await fanOut(scope, event, match, rest)
  await supersede(scope, event.id, rest)
  await ringDeliveries(scope)
}

const isLarge = async (scope: Scope, match: Match): Promise<boolean> => {
  const rows = await scope.tx.execute<{ many: boolean }>(sql`
    SELECT count(*) >= ${LARGE} AS many FROM (SELECT ${wanting(scope, match)} LIMIT ${LARGE}) wanting`)
  return rows[0]?.many === true
}

/** False when what is left is no full part. */
const takeNext = async (scope: Scope, event: Envelope, match: Match): Promise<boolean> => {
  if (await isOldNews(scope, event)) return false
  await keepEvent(scope, event)
  const after = await reached(scope, event.id)
  const rows = await scope.tx.execute<{ id: string }>(sql`
    SELECT d.id ${wanting(scope, match)} AND d.id > ${after ?? NIL}::uuid
    ORDER BY d.id OFFSET ${PART - 1} LIMIT 1`)
  const through = rows[0]?.id
  if (through === undefined) return false
  const part = { after, through }
  await fanOut(scope, event, match, part)
  await supersede(scope, event.id, part)
  await scope.tx
    .update(fanouts)
    .set({ afterDestination: through })
    .where(itsFanout(scope, event.id))
  await ringDeliveries(scope)
  return true
}

const itsFanout = ({ organizationId }: Scope, eventId: string) =>
  and(eq(fanouts.organizationId, organizationId), eq(fanouts.eventId, eventId))

/** Locked: two replicas with the same event take their parts one after another. */
const reached = async (scope: Scope, eventId: string): Promise<string | null> => {
  const [row] = await scope.tx
    .select({ after: fanouts.afterDestination })
    .from(fanouts)
    .where(itsFanout(scope, eventId))
    .for('update')
  return row?.after ?? null
}

/**
 * For one who is about to act on a copy, such as a sender that looks whether a subscriber is still
 * there: what the copy's keeper lacks about this one aggregate is taken first. It costs one look at the
 * producer's feed, and it holds while NATS is away.
 */
import { asAppError, type Database } from '@status-page/postgres'
import { looksAbout, takeAll } from './catch-up.ts'
import type { EventHandler } from './event-handler.ts'
import { type HandlerContext, takeBy } from './handle-event.ts'
import { INTERVALS } from './intervals.ts'
import {
  earlierVersions,
  lackedAmong,
  type OutboxEventRow,
  type OutboxPosition,
  untakenOf,
} from './outbox-queries.ts'
import { createPauses } from './pauses.ts'

export interface ProjectionCatchUpOptions {
  database: Database
  /** Keeps the copy. */
  reaction: EventHandler
  /** Of the aggregates that are asked about. */
  type: string
  logger: HandlerContext['logger']
}

const EVERY_VERSION = 2 ** 31 - 1

/** Answers false while an event about the aggregate fails: then nobody knows how it stands. */
export const catchUpProjection = (
  options: ProjectionCatchUpOptions,
): ((id: string) => Promise<boolean>) => {
  const { database, type } = options
  return takingFirst(options, (look, id) =>
    earlierVersions(database.batchSql, look, { type, id, version: EVERY_VERSION }),
  )
}

/** The same for many aggregates, in one look where nothing is lacking: those about which nobody knows. */
export const unknownAmong = (
  options: ProjectionCatchUpOptions,
): ((ids: readonly string[]) => Promise<Set<string>>) => {
  const { database, reaction, type } = options
  const looks = looksAbout(reaction, type)
  const isUpToDate = catchUpProjection(options)
  return async (ids) => {
    const unknown = new Set<string>()
    for (const look of ids.length === 0 ? [] : looks) {
      for (const id of await lackedIn(database, look, type, ids)) {
        if (!(await isUpToDate(id))) unknown.add(id)
      }
    }
    return unknown
  }
}

const lackedIn = async (
  database: Database,
  look: OutboxPosition,
  type: string,
  ids: readonly string[],
) => {
  try {
    return await lackedAmong(database.batchSql, look, type, ids)
  } catch (error) {
    throw asAppError(error)
  }
}

/** The same for all aggregates of an organization: before an id is called unknown. */
export const catchUpOrganization = (
  options: ProjectionCatchUpOptions,
): ((organizationId: string) => Promise<boolean>) => {
  const { database, type } = options
  return takingFirst(options, (look, organizationId) =>
    untakenOf(database.batchSql, look, type, organizationId),
  )
}

type Lacking = (look: OutboxPosition, id: string) => Promise<OutboxEventRow[]>

const takingFirst = (options: ProjectionCatchUpOptions, lacking: Lacking) => {
  const { database, reaction, type, logger } = options
  const pauses = createPauses(() => performance.now())
  const desk: HandlerContext = {
    database,
    reactions: [reaction],
    intervals: INTERVALS,
    pauses,
    logger,
  }
  const looks = looksAbout(reaction, type)
  const take = takeBy(desk)
  return async (id: string): Promise<boolean> => {
    try {
      for (const look of looks) {
        const queue = { producer: look.producer, look: () => lacking(look, id), take }
        if (!(await takeAll(desk, reaction, queue))) return false
      }
      return true
    } catch (error) {
      throw asAppError(error)
    }
  }
}

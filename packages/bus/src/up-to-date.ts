/**
 * For one who is about to act on a copy, such as a sender that looks whether a subscriber is still
 * there: what the copy's keeper lacks about this one aggregate is taken first. It costs one look at the
 * producer's feed, and it holds while NATS is away.
 */
import { asAppError, type Database } from '@status-page/postgres'
import { looksAbout, takeAll } from './catch-up.ts'
import { earlierVersions, type FeedRow, type Look, lackedAmong, untakenOf } from './feeds.ts'
import { INTERVALS } from './intervals.ts'
import { createPauses } from './pauses.ts'
import { type Desk, takeBy } from './react.ts'
import type { Reaction } from './reaction.ts'

export interface UpToDateOptions {
  database: Database
  /** Keeps the copy. */
  reaction: Reaction
  /** Of the aggregates that are asked about. */
  type: string
  logger: Desk['logger']
}

const EVERY_VERSION = 2 ** 31 - 1

/** Answers false while an event about the aggregate fails: then nobody knows how it stands. */
export const upToDate = (options: UpToDateOptions): ((id: string) => Promise<boolean>) => {
  const { database, type } = options
  return takingFirst(options, (look, id) =>
    earlierVersions(database.hot, look, { type, id, version: EVERY_VERSION }),
  )
}

/** The same for many aggregates, in one look where nothing is lacking: those about which nobody knows. */
export const unknownAmong = (
  options: UpToDateOptions,
): ((ids: readonly string[]) => Promise<Set<string>>) => {
  const { database, reaction, type } = options
  const looks = looksAbout(reaction, type)
  const isUpToDate = upToDate(options)
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

const lackedIn = async (database: Database, look: Look, type: string, ids: readonly string[]) => {
  try {
    return await lackedAmong(database.hot, look, type, ids)
  } catch (error) {
    throw asAppError(error)
  }
}

/** The same for all aggregates of an organization: before an id is called unknown. */
export const organizationUpToDate = (
  options: UpToDateOptions,
): ((organizationId: string) => Promise<boolean>) => {
  const { database, type } = options
  return takingFirst(options, (look, organizationId) =>
    untakenOf(database.hot, look, type, organizationId),
  )
}

type Lacking = (look: Look, id: string) => Promise<FeedRow[]>

const takingFirst = (options: UpToDateOptions, lacking: Lacking) => {
  const { database, reaction, type, logger } = options
  const pauses = createPauses(() => performance.now())
  const desk: Desk = { database, reactions: [reaction], intervals: INTERVALS, pauses, logger }
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

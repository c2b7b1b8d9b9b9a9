/**
 * Before people are told: earlier versions of the same aggregate, and what the keeper of the
 * subscribers' copy has not taken, so that whoever subscribed before the incident hears of it.
 */
import { type Envelope, nounOf, type ServiceName } from '@status-page/contracts'
import { type EventHandler, kindsOf } from './event-handler.ts'
import type { HandlerContext, HandlerResult } from './handle-event.ts'
import {
  earlierVersions,
  type OutboxEventRow,
  type OutboxPosition,
  untakenOf,
} from './outbox-queries.ts'

/** How a row of a feed goes through a reaction; react's own door, given so that files do not circle. */
export type Take = (
  reaction: EventHandler,
  producer: ServiceName,
  row: OutboxEventRow,
) => Promise<HandlerResult>

/** False while a predecessor fails: the event has to wait for it. */
export const catchUp = async (
  desk: HandlerContext,
  reaction: EventHandler,
  envelope: Envelope,
  take: Take,
): Promise<boolean> => {
  const { batchSql } = desk.database
  const look = {
    producer: envelope.producer,
    consumer: reaction.consumer,
    kinds: kindsOf(reaction),
  }
  const earlier = () => earlierVersions(batchSql, look, envelope.aggregate)
  if (!(await takeAll(desk, reaction, { producer: envelope.producer, look: earlier, take })))
    return false
  const keeper = keeperOf(desk, reaction)
  for (const subscribers of keeper === null ? [] : looksAbout(keeper, 'subscriber')) {
    const untaken = () => untakenOf(batchSql, subscribers, 'subscriber', envelope.organizationId)
    const queue = { producer: subscribers.producer, look: untaken, take }
    if (keeper && !(await takeAll(desk, keeper, queue))) return false
  }
  return true
}

const keeperOf = (desk: HandlerContext, reaction: EventHandler): EventHandler | null => {
  const consumer = reaction.requiresOrdering?.catchUp.subscribersVia
  return desk.reactions.find((other) => other.consumer === consumer) ?? null
}

/** The feeds that may hold what a keeper takes about aggregates of one type. */
export const looksAbout = (keeper: EventHandler, type: string): OutboxPosition[] => {
  const about = keeper.on.filter(({ kind }) => nounOf(kind) === type)
  const producers = new Set(about.flatMap((event) => event.producers))
  const kinds = about.map(({ kind }) => kind)
  return [...producers].map((producer) => ({ producer, consumer: keeper.consumer, kinds }))
}

interface Queue {
  producer: ServiceName
  look: () => Promise<OutboxEventRow[]>
  take: Take
}

/** Batch by batch: every taken row leaves a receipt, so the next look finds others or nothing. */
export const takeAll = async (
  desk: HandlerContext,
  reaction: EventHandler,
  { producer, look, take }: Queue,
): Promise<boolean> => {
  for (let rows = await look(); rows.length > 0; rows = await look()) {
    for (const row of rows) {
      if (desk.pauses.has(reaction.consumer, row.id)) return false
      const verdict = await take(reaction, producer, row)
      if ('pauseMs' in verdict) return false
    }
  }
  return true
}

/** The bus of tests: every open outbox row of all members goes through the same react, until quiet. */
import type { ServiceName } from '@status-page/contracts'
import type { Database } from '@status-page/postgres'
import { pino } from 'pino'
import { type EventHandler, kindsOf, producersOf } from './event-handler.ts'
import { type HandlerContext, takeBy } from './handle-event.ts'
import { INTERVALS } from './intervals.ts'
import { openEvents } from './outbox-queries.ts'
import { createPauses } from './pauses.ts'

export interface MemoryBusService {
  database: Database
  reactions: readonly EventHandler[]
}

export interface MemoryBus {
  /** Resolves with the number of events handled; rejects with the error of a reaction that failed. */
  drain(): Promise<number>
}

/** Rounds after which the members are taken to answer each other for ever. */
const MAX_ROUNDS = 1_000

export function memoryBus(members: readonly MemoryBusService[]): MemoryBus
export function memoryBus(t: unknown, members: readonly MemoryBusService[]): MemoryBus
export function memoryBus(first: unknown, second?: readonly MemoryBusService[]): MemoryBus {
  const members = second ?? (first as readonly MemoryBusService[])
  let handled = 0
  const counting = (reaction: EventHandler): EventHandler => ({
    ...reaction,
    handle(scope, envelope) {
      handled++
      return reaction.handle(scope, envelope)
    },
  })
  const desks = members.map(({ database, reactions }) => deskOf(database, reactions.map(counting)))
  return {
    async drain() {
      handled = 0
      for (let round = 0; round < MAX_ROUNDS; round++) {
        let rows = 0
        for (const desk of desks) {
          for (const reaction of desk.reactions) rows += await pass(desk, reaction)
        }
        if (rows === 0) return handled
      }
      throw new Error(`events still follow events after ${MAX_ROUNDS} rounds`)
    },
  }
}

const deskOf = (database: Database, reactions: readonly EventHandler[]): HandlerContext => ({
  database,
  reactions,
  intervals: INTERVALS,
  // Time stands still: a test decides when a failed event is tried again, by draining again.
  pauses: { ...createPauses(() => 0), has: () => false },
  logger: pino({ level: 'silent' }),
})

const pass = async (desk: HandlerContext, reaction: EventHandler): Promise<number> => {
  let rows = 0
  for (const producer of producersOf(reaction)) rows += await take(desk, reaction, producer)
  return rows
}

const take = async (
  desk: HandlerContext,
  reaction: EventHandler,
  producer: ServiceName,
): Promise<number> => {
  const look = { producer, consumer: reaction.consumer, kinds: kindsOf(reaction) }
  const rows = await openEvents(desk.database.batchSql, look, [])
  for (const row of rows) {
    const verdict = await takeBy(desk)(reaction, producer, row)
    if (verdict.result === 'failed') throw verdict.error
    if (verdict.result === 'waiting') throw new Error(`a predecessor of ${row.id} fails`)
  }
  return rows.length
}

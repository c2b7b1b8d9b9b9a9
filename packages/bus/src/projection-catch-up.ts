/**
 * Catches a projection up for one aggregate before it is used, such as before a mail to a
 * subscriber, by handling the open events of the producer's outbox. One query; works without NATS.
 */
import { type Database, toAppError } from '@status-page/postgres'
import { handleAllBatches, outboxFilters } from './catch-up.ts'
import type { EventHandler, HandlerContext } from './event-handler.ts'
import { createRowHandler } from './handle-event.ts'
import { DEFAULT_INTERVALS } from './intervals.ts'
import {
  idsWithUnhandledEvents,
  type OutboxEventRow,
  type OutboxFilter,
  unhandledEarlierVersions,
  unhandledEventsOfOrganization,
} from './outbox-queries.ts'
import { createRetryPauses } from './pauses.ts'

export interface ProjectionCatchUpOptions {
  database: Database
  /** Handler that maintains the projection. */
  handler: EventHandler
  /** Aggregate type that is caught up. */
  type: string
  logger: HandlerContext['logger']
}

const EVERY_VERSION = 2 ** 31 - 1

/** Resolves false while an event about the aggregate fails; its state is unknown then. */
export const catchUpProjection = (
  options: ProjectionCatchUpOptions,
): ((id: string) => Promise<boolean>) => {
  const { database, type } = options
  return createCatchUp(options, (filter, id) =>
    unhandledEarlierVersions(database.batchSql, filter, { type, id, version: EVERY_VERSION }),
  )
}

/**
 * Catches up many aggregates, with one query when no event is open; resolves with the ids that
 * failed.
 */
export const catchUpAggregates = (
  options: ProjectionCatchUpOptions,
): ((ids: readonly string[]) => Promise<Set<string>>) => {
  const { database, handler, type } = options
  const filters = outboxFilters(handler, type)
  const isUpToDate = catchUpProjection(options)
  return async (ids) => {
    const failed = new Set<string>()
    for (const filter of ids.length === 0 ? [] : filters) {
      for (const id of await findLaggingIds(database, filter, type, ids)) {
        if (!(await isUpToDate(id))) failed.add(id)
      }
    }
    return failed
  }
}

const findLaggingIds = async (
  database: Database,
  filter: OutboxFilter,
  type: string,
  ids: readonly string[],
) => {
  try {
    return await idsWithUnhandledEvents(database.batchSql, filter, type, ids)
  } catch (error) {
    throw toAppError(error)
  }
}

/** Catches up all aggregates of an organization, before an id is reported as unknown. */
export const catchUpOrganization = (
  options: ProjectionCatchUpOptions,
): ((organizationId: string) => Promise<boolean>) => {
  const { database, type } = options
  return createCatchUp(options, (filter, organizationId) =>
    unhandledEventsOfOrganization(database.batchSql, filter, type, organizationId),
  )
}

type LoadUnhandled = (filter: OutboxFilter, id: string) => Promise<OutboxEventRow[]>

const createCatchUp = (options: ProjectionCatchUpOptions, loadUnhandled: LoadUnhandled) => {
  const { database, handler, type, logger } = options
  const pauses = createRetryPauses(() => performance.now())
  const context: HandlerContext = {
    database,
    eventHandlers: [handler],
    intervals: DEFAULT_INTERVALS,
    pauses,
    logger,
  }
  const filters = outboxFilters(handler, type)
  const handleRow = createRowHandler(context)
  return async (id: string): Promise<boolean> => {
    try {
      for (const filter of filters) {
        const source = {
          producer: filter.producer,
          loadBatch: () => loadUnhandled(filter, id),
          handleRow,
        }
        if (!(await handleAllBatches(context, handler, source))) return false
      }
      return true
    } catch (error) {
      throw toAppError(error)
    }
  }
}

/** Publishes summaries of components for their read-only fields in batches. */
import { checkSummarised, draftEvent, systemActor } from '@status-page/contracts'
import {
  chunksOf,
  type Database,
  type Job,
  newId,
  type Scope,
  settleEach,
  transact,
} from '@status-page/postgres'
import type { Stored } from '../record/results.ts'
import { averageResponseTimes } from './history.ts'

const INTERVAL_MS = 60_000
/** Maximum components per event. */
const EVENT_COMPONENTS = 1000
/** Maximum components per transaction: a large organization does not take one per event. */
const BATCH_COMPONENTS = 10 * EVENT_COMPONENTS

export interface SummaryPublisher {
  /** Called with each stored check. */
  add: Stored
  job: Job
}

/**
 * Creates the publisher. Pending components of a killed process are collected again with their next
 * check.
 */
export const createSummaryPublisher = (database: Database): SummaryPublisher => {
  const pending = new Map<string, Map<string, number>>()

  const add: Stored = ({ organizationId, componentId }, checkedAtMs) => {
    const components = pending.get(organizationId) ?? new Map<string, number>()
    pending.set(organizationId, components)
    const known = components.get(componentId)
    if (known === undefined || known < checkedAtMs) components.set(componentId, checkedAtMs)
  }

  const publish = async (organizationId: string, batch: readonly PendingComponent[]) => {
    await transact(database, { organizationId, actor: systemActor }, async (scope) => {
      const events = []
      for (const some of chunksOf(batch, EVENT_COMPONENTS)) {
        const components = await summariesOf(scope, some)
        events.push(draftEvent(checkSummarised, { id: newId(), version: 1 }, { components }))
      }
      return { result: undefined, events, audit: [] }
    })
  }

  return {
    add,
    job: {
      name: 'check-summaries',
      intervalMs: INTERVAL_MS,
      async run() {
        await settleEach([...pending], async ([organizationId, components]) => {
          pending.delete(organizationId)
          const batches = chunksOf([...components], BATCH_COMPONENTS)
          for (const [position, batch] of batches.entries()) {
            try {
              await publish(organizationId, batch)
            } catch (error) {
              for (const [componentId, checkedAtMs] of batches.slice(position).flat()) {
                add({ organizationId, componentId }, checkedAtMs)
              }
              throw error
            }
          }
        })
        return 0
      },
    },
  }
}

/** Component and the time of its last check. */
type PendingComponent = readonly [componentId: string, checkedAtMs: number]

const summariesOf = async (scope: Scope, some: readonly PendingComponent[]) => {
  const averages = await averageResponseTimes(
    scope,
    some.map(([id]) => id),
  )
  return some.map(([id, checkedAtMs]) => ({
    id,
    lastCheckAt: new Date(checkedAtMs).toISOString(),
    averageResponseTime: averages.get(id) ?? null,
  }))
}

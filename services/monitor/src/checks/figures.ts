/** Figures of components for their read-only fields: at most once a minute, one event a batch. */
import { checkSummarised, emit, systemActor } from '@status-page/contracts'
import { change, type Database, type DueWork, newId } from '@status-page/postgres'
import { averageResponseTimes } from './history.ts'
import type { Stored } from './results.ts'

const INTERVAL_MS = 60_000
/** As many as an event holds. */
const BATCH_COMPONENTS = 1000

export interface Figures {
  /** A check was stored. */
  note: Stored
  work: DueWork
}

/** What a killed process had noted is noted again with the next check. */
export const createFigures = (database: Database): Figures => {
  const noted = new Map<string, Map<string, number>>()

  const note: Stored = ({ organizationId, componentId }, checkedAtMs) => {
    const components = noted.get(organizationId) ?? new Map<string, number>()
    noted.set(organizationId, components)
    const known = components.get(componentId)
    if (known === undefined || known < checkedAtMs) components.set(componentId, checkedAtMs)
  }

  const tell = async (organizationId: string, batch: readonly [string, number][]) => {
    const ids = batch.map(([id]) => id)
    await change(database, { organizationId, actor: systemActor }, async (scope) => {
      const averages = await averageResponseTimes(scope, ids)
      const components = batch.map(([id, checkedAtMs]) => ({
        id,
        lastCheckAt: new Date(checkedAtMs).toISOString(),
        averageResponseTime: averages.get(id) ?? null,
      }))
      const event = emit(checkSummarised, { id: newId(), version: 1 }, { components })
      return { result: undefined, events: [event], audit: [] }
    })
  }

  return {
    note,
    work: {
      name: 'figures',
      intervalMs: INTERVAL_MS,
      async run() {
        const taken = [...noted]
        noted.clear()
        for (const [organizationId, components] of taken) {
          const all = [...components]
          for (let start = 0; start < all.length; start += BATCH_COMPONENTS) {
            const batch = all.slice(start, start + BATCH_COMPONENTS)
            try {
              await tell(organizationId, batch)
            } catch (error) {
              for (const [componentId, checkedAtMs] of all.slice(start)) {
                note({ organizationId, componentId }, checkedAtMs)
              }
              throw error
            }
          }
        }
        return 0
      },
    },
  }
}

/** Figures of METRIC components for core's read-only fields: at most once a minute, by the batch. */
import { emit, metricSummarised, systemActor } from '@status-page/contracts'
import { change, type Database, type DueWork, newId } from '@status-page/postgres'
import { listComponents } from './store.ts'

const INTERVAL_MS = 60_000
/** As many as an event holds. */
const BATCH_COMPONENTS = 1000

export interface Summaries {
  /** A value of a component was stored. */
  note(component: { organizationId: string; metricId: string }): void
  work: DueWork
}

/** What a killed process had noted is noted again with the next value. */
export const createSummaries = (database: Database): Summaries => {
  let noted = new Map<string, Set<string>>()

  const note: Summaries['note'] = ({ organizationId, metricId }) => {
    const components = noted.get(organizationId) ?? new Set<string>()
    noted.set(organizationId, components.add(metricId))
  }

  const tell = (organizationId: string, ids: readonly string[]) =>
    change(database, { organizationId, actor: systemActor }, async (scope) => {
      const components = (await listComponents(scope, ids)).flatMap(({ row, state }) =>
        state.polledAt === null
          ? []
          : {
              ...{ id: row.id, lastCheckAt: state.polledAt.toISOString() },
              lastValue: state.lastValue,
              lastValueAt: state.lastValueAt?.toISOString() ?? null,
            },
      )
      const event = emit(metricSummarised, { id: newId(), version: 1 }, { components })
      return { result: undefined, events: components.length === 0 ? [] : [event], audit: [] }
    })

  const run = async () => {
    const taken = [...noted]
    noted = new Map()
    for (const [organizationId, components] of taken) {
      const ids = [...components]
      for (let start = 0; start < ids.length; start += BATCH_COMPONENTS) {
        try {
          await tell(organizationId, ids.slice(start, start + BATCH_COMPONENTS))
        } catch (error) {
          for (const metricId of ids.slice(start)) note({ organizationId, metricId })
          throw error
        }
      }
    }
    return 0
  }

  return { note, work: { name: 'summaries', intervalMs: INTERVAL_MS, run } }
}

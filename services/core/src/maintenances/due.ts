/** The clock of maintenances: starts, completes, reminds, and makes the next of a series. */
import { systemActor } from '@status-page/contracts'
import { change, type Database, type DueWork } from '@status-page/postgres'
import { tick } from './changes.ts'
import { leaseDue } from './store.ts'

/** The contract allows a minute. */
const POLL_MS = 5_000
const BATCH = 20

export interface ClockDeps {
  database: Database
  baseUrl: string
  logger: { error(details: object, message: string): void }
}

export const maintenanceWork = (deps: ClockDeps): DueWork[] => [
  { name: 'maintenance-clock', intervalMs: POLL_MS, run: (signal) => runDue(deps, signal) },
]

/** Each in a change of its own: one that fails keeps its lease, and holds up nobody. */
const runDue = async (
  { database, baseUrl, logger }: ClockDeps,
  signal: AbortSignal,
): Promise<number> => {
  const due = await leaseDue(database, BATCH)
  let done = 0
  for (const { id, organizationId } of due) {
    if (signal.aborted) return done
    try {
      await change(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: undefined,
        ...(await tick(scope, id, baseUrl)),
      }))
      done += 1
    } catch (error) {
      logger.error({ err: error, maintenanceId: id }, 'maintenance not moved on yet')
    }
  }
  return done
}

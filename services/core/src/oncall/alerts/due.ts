/** Escalation: the steps whose time has come, each in a transaction of its organization. */
import { systemActor } from '@status-page/contracts'
import { change, crossDue, type Database, type DueWork } from '@status-page/postgres'
import { escalateAlert } from './changes.ts'
import { dueAlerts } from './store.ts'

const INTERVAL_MS = 2_000
const BATCH = 100

export const escalationWork = ({ database }: { database: Database }): DueWork => ({
  name: 'oncall-escalation',
  intervalMs: INTERVAL_MS,
  run: async (signal) => {
    const due = await crossDue(database, (crossing) => dueAlerts(crossing, BATCH))
    const failures: unknown[] = []
    for (const { organizationId, id } of due) {
      if (signal.aborted) break
      const step = change(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: undefined,
        ...(await escalateAlert(scope, id)),
      }))
      // One that fails holds up no other.
      await step.catch((error: unknown) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
    return due.length
  },
})

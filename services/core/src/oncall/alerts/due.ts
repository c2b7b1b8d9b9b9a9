/** Escalation: the steps whose time has come, each in a transaction of its organization. */
import { systemActor } from '@status-page/contracts'
import { change, crossDue, type Database, type DueWork } from '@status-page/postgres'
import { settleEach } from '../../settle-each.ts'
import { escalateAlert } from './changes.ts'
import { dueAlerts } from './store.ts'

const INTERVAL_MS = 2_000
const BATCH = 100

export const escalationWork = ({ database }: { database: Database }): DueWork => ({
  name: 'oncall-escalation',
  intervalMs: INTERVAL_MS,
  run: async (signal) => {
    const due = await crossDue(database, (crossing) => dueAlerts(crossing, BATCH))
    await settleEach(signal, due, ({ organizationId, id }) =>
      change(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: true,
        ...(await escalateAlert(scope, id)),
      })),
    )
    return due.length
  },
})

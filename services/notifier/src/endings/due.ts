/** Mails those who look after destinations about what has ended: soon, and never one mail an address. */
import { systemActor } from '@status-page/contracts'
import { change, crossDue, type Database, type DueWork } from '@status-page/postgres'
import { forgetEndings, organizationsToTell, tellEndings } from './store.ts'

const INTERVAL_MS = 15_000

export const endingWork = (database: Database): DueWork => ({
  name: 'destination-endings',
  intervalMs: INTERVAL_MS,
  async run() {
    for (const organizationId of await crossDue(database, organizationsToTell)) {
      await change(database, { organizationId, actor: systemActor }, async (scope) => ({
        result: await tellEndings(scope),
        events: [],
        audit: [],
      }))
    }
    await crossDue(database, forgetEndings)
    return 0
  },
})

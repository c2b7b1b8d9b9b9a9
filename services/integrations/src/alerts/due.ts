/** Alerts that are long over are forgotten. */
import { crossDue, type Database, type DueWork } from '@status-page/postgres'
import { forgetSignals } from './store.ts'

const INTERVAL_MS = 3_600_000
const BATCH = 1_000
/** Longer than anybody repeats that an alert is over. */
const KEPT_DAYS = 90
const DAY_MS = 86_400_000

export const signalRetention = (database: Database): DueWork => ({
  name: 'forget-signals',
  intervalMs: INTERVAL_MS,
  run: () =>
    crossDue(database, (crossing) => {
      const before = new Date(crossing.now.getTime() - KEPT_DAYS * DAY_MS)
      return forgetSignals(crossing, { before, limit: BATCH })
    }),
})

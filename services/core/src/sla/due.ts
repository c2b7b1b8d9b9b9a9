/** Service levels are evaluated every minute: what the clock changes is found without being asked. */
import { systemActor } from '@status-page/contracts'
import { change, crossDue, type Database, type DueWork } from '@status-page/postgres'
import { EVALUATION_INTERVAL_MS, evaluate, tellMisses } from './evaluation.ts'
import { claimDue, lockSlas, saveEvaluations } from './store.ts'

const CLAIM_SLAS = 100
const LOOK_INTERVAL_MS = 5_000

export const slaDue = (database: Database): DueWork => ({
  name: 'sla',
  intervalMs: LOOK_INTERVAL_MS,
  run: async (signal) => {
    const claimed = await crossDue(database, (crossing) => {
      const next = new Date(crossing.now.getTime() + EVALUATION_INTERVAL_MS)
      return claimDue(crossing, { next, limit: CLAIM_SLAS })
    })
    const failures: unknown[] = []
    for (const [organizationId, list] of Map.groupBy(claimed, (one) => one.organizationId)) {
      if (signal.aborted) break
      const ids = list.map(({ id }) => id)
      // One organization's fault is not another's: it is reported when all have had their turn.
      await evaluateIn(database, organizationId, ids).catch((error) => failures.push(error))
    }
    if (failures.length > 0) throw failures[0]
    return claimed.length
  },
})

const evaluateIn = (
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<void> =>
  change(database, { organizationId, actor: systemActor }, async (scope) => {
    const locked = await lockSlas(scope, ids)
    const enabled = locked.filter(({ isEnabled }) => isEnabled)
    const judged = await evaluate(scope, enabled)
    const told = await tellMisses(scope, judged.rows)
    await saveEvaluations(scope, told.rows)
    return { result: undefined, events: [...judged.events, ...told.events], audit: [] }
  })

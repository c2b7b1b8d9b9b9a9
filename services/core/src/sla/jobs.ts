/**
 * Job that evaluates service levels every minute, so that time-dependent changes are found without
 * a request.
 */
import { systemActor } from '@status-page/contracts'
import {
  asWorker,
  type Database,
  hasDueRow,
  type Job,
  settleEach,
  transact,
} from '@status-page/postgres'
import { EVALUATION_INTERVAL_MS, evaluateSlas, recordMissedTargets } from './evaluation.ts'
import { claimDueSlas, lockSlas, saveEvaluations } from './store.ts'

const CLAIM_SLAS = 100
const POLL_INTERVAL_MS = 5_000

export const slaEvaluationJob = (database: Database): Job => ({
  name: 'sla',
  intervalMs: POLL_INTERVAL_MS,
  due: hasDueRow('slas', 'due_at'),
  run: async (signal) => {
    const claimed = await asWorker(database, (systemScope) => {
      const next = new Date(systemScope.now.getTime() + EVALUATION_INTERVAL_MS)
      return claimDueSlas(systemScope, { next, limit: CLAIM_SLAS })
    })
    const organizations = Map.groupBy(claimed, (report) => report.organizationId)
    const evaluateClaimed = ([organizationId, list]: [string, typeof claimed]) => {
      const ids = list.map(({ id }) => id)
      return evaluateIn(database, organizationId, ids)
    }
    await settleEach(organizations, evaluateClaimed, signal)
    return claimed.length
  },
})

const evaluateIn = (
  database: Database,
  organizationId: string,
  ids: readonly string[],
): Promise<void> =>
  transact(database, { organizationId, actor: systemActor }, async (scope) => {
    const locked = await lockSlas(scope, ids)
    const enabled = locked.filter(({ isEnabled }) => isEnabled)
    const evaluated = await evaluateSlas(scope, enabled)
    const missed = await recordMissedTargets(scope, evaluated.rows)
    await saveEvaluations(scope, missed.rows)
    return { result: undefined, events: [...evaluated.events, ...missed.events], audit: [] }
  })

/** Resumes applies whose process ended: they are finished or undone. */
import { hasDueRow, type Job, newId, settleEach, write } from '@status-page/postgres'
import { type ClaimedApply, runApplySteps, withApplyLease } from './apply.ts'
import { isClientError } from './document/read-document.ts'
import type { ConfigurationDeps } from './prepare.ts'
import { claimExpiredApplies, setApplyLease } from './store.ts'

const INTERVAL_MS = 2_000
/** Delay until the next attempt after a service did not respond. */
const RETRY_DELAY_MS = 5_000

export const applyJob = (deps: ConfigurationDeps): Job => ({
  name: 'applies',
  intervalMs: INTERVAL_MS,
  due: hasDueRow('applies', 'lease_until', 'finished_at IS NULL'),
  async run(signal) {
    const claimed = claimExpiredApplies(deps.database, newId())
    await settleEach(claimed, (apply) => resumeApply(deps, apply), signal)
    return 0
  },
})

const resumeApply = async (deps: ConfigurationDeps, apply: ClaimedApply): Promise<void> => {
  const { organizationId, id } = apply
  try {
    await withApplyLease(deps, apply, () => runApplySteps(deps, apply))
    deps.logger.info({ organizationId, apply: id }, 'finished an apply')
  } catch (error) {
    if (isClientError(error)) {
      deps.logger.warn(
        { err: error, organizationId, apply: id },
        'rolled back a configuration apply',
      )
      return
    }
    deps.logger.warn(
      { err: error, organizationId, apply: id },
      'apply is waiting for another service',
    )
    await write(deps.database, apply, (scope) => setApplyLease(scope, apply, RETRY_DELAY_MS))
  }
}

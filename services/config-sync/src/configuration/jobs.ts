/** Applies that whoever began them does not go on with: they are finished or undone. */
import { type Job, newId } from '@status-page/postgres'
import { type Apply, advance, holding, note } from './apply.ts'
import type { ConfigurationDeps } from './prepare.ts'
import { isRefusal } from './reading.ts'
import { holdFor, takeOver } from './store.ts'

const INTERVAL_MS = 2_000
/** Until a service that gave no answer is asked again. */
const PAUSE_MS = 5_000

export const applyWork = (deps: ConfigurationDeps): Job => ({
  name: 'applies',
  intervalMs: INTERVAL_MS,
  async run() {
    const owner = newId()
    const taken = await takeOver(deps.database, owner)
    for (const one of taken) await goOn(deps, { ...one, owner })
    return 0
  },
})

const goOn = async (deps: ConfigurationDeps, apply: Apply): Promise<void> => {
  const { organizationId, id } = apply
  try {
    await holding(deps, apply, () => advance(deps, apply))
    deps.logger.info({ organizationId, apply: id }, 'finished an apply')
  } catch (error) {
    if (isRefusal(error)) {
      deps.logger.warn({ err: error, organizationId, apply: id }, 'undid an apply')
      return
    }
    deps.logger.warn(
      { err: error, organizationId, apply: id },
      'apply is waiting for core or integrations',
    )
    await note(deps, apply, (scope) => holdFor(scope, apply, PAUSE_MS))
  }
}

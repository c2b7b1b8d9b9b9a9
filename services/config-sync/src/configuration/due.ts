/** Applies that whoever began them does not go on with: they are finished or undone. */
import { type DueWork, newId } from '@status-page/postgres'
import { type Apply, advance, holding, note } from './apply.ts'
import type { ConfigurationDoors } from './prepare.ts'
import { isRefusal } from './reading.ts'
import { holdFor, takeOver } from './store.ts'

const INTERVAL_MS = 2_000
/** Until a service that gave no answer is asked again. */
const PAUSE_MS = 5_000

export const applyWork = (doors: ConfigurationDoors): DueWork => ({
  name: 'applies',
  intervalMs: INTERVAL_MS,
  async run() {
    const owner = newId()
    const taken = await takeOver(doors.database, owner)
    for (const one of taken) await goOn(doors, { ...one, owner })
    return 0
  },
})

const goOn = async (doors: ConfigurationDoors, apply: Apply): Promise<void> => {
  const { organizationId, id } = apply
  try {
    await holding(doors, apply, () => advance(doors, apply))
    doors.logger.info({ organizationId, apply: id }, 'finished an apply')
  } catch (error) {
    if (isRefusal(error)) {
      doors.logger.warn({ err: error, organizationId, apply: id }, 'undid an apply')
      return
    }
    doors.logger.warn({ err: error, organizationId, apply: id }, 'an apply waits for its owners')
    await note(doors, apply, (scope) => holdFor(scope, apply, PAUSE_MS))
  }
}

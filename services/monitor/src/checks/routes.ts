/** What core asks: a check now, and what is known of targets. */
import { checkOperations, type Monitor, notFound } from '@status-page/contracts'
import { nextSlot } from '@status-page/schedule'
import { type Route, route } from '@status-page/service'
import { announce, listByIds, type TargetRow } from '../targets/store.ts'
import type { Probe } from './probe.ts'
import { checkOf, initialState, type TargetState } from './rules.ts'
import {
  type CheckRow,
  checkRowOf,
  insertCheck,
  listNewest,
  listStates,
  recordCheck,
} from './store.ts'

/** Whoever asked for a check waits for it. */
const MAX_MANUAL_MS = 25_000

export interface CheckRoutesOptions {
  probe: Probe
  location: string
  onStored: (row: CheckRow) => void
}

export const checkRoutes = ({ probe, location, onStored }: CheckRoutesOptions): Route[] =>
  route(checkOperations, {
    async run(call) {
      const { id } = call.params
      const [target] = await call.read((scope) => listByIds(scope, [id]))
      if (target === undefined || target.version < call.body.version) throw notFound()
      const timeoutMs = Math.min(target.timeoutMs, MAX_MANUAL_MS)
      const result = await probe({ ...target, timeoutMs })
      const when = { slotMs: result.checkedAtMs, location, trigger: 'manual' } as const
      const row = checkRowOf(target, result, when)
      await call.change(async (scope) => {
        if (!target.isEnabled) {
          await insertCheck(scope, row)
          return { result: undefined, events: [], audit: [] }
        }
        const { events } = await recordCheck(scope, { target, result, row, lease: null })
        await announce(scope, id)
        return { result: undefined, events, audit: [] }
      })
      onStored(row)
      return checkOf(row)
    },

    async recent(call) {
      const { componentIds, checksPerTarget } = call.body
      return call.read(async (scope) => {
        const targets = await listByIds(scope, componentIds)
        const ids = targets.map(({ componentId }) => componentId)
        const states = new Map(
          (await listStates(scope, ids)).map((state) => [state.componentId, state]),
        )
        const newest = await listNewest(scope, ids, Math.max(1, checksPerTarget))
        const checksOf = Map.groupBy(newest, ({ componentId }) => componentId)
        return {
          targets: targets.map((target) => {
            const rows = checksOf.get(target.componentId) ?? []
            return {
              componentId: target.componentId,
              monitor: monitorOf(target, states.get(target.componentId), rows[0], scope.now),
              checks: rows.slice(0, checksPerTarget).map(checkOf),
            }
          }),
        }
      })
    },
  })

const monitorOf = (
  { componentId, isEnabled, intervalSeconds }: TargetRow,
  { derivedStatus, runs }: TargetState = initialState,
  newest: CheckRow | undefined,
  now: Date,
): Monitor => ({
  kind: 'http',
  isEnabled,
  interval: intervalSeconds,
  derivedStatus,
  consecutiveFailures: runs.bad?.[0] ?? 0,
  consecutiveSuccesses: runs.good?.[0] ?? 0,
  lastCheckAt: newest?.checkedAt.toISOString() ?? null,
  nextCheckAt: isEnabled
    ? new Date(nextSlot(componentId, intervalSeconds * 1000, now.getTime())).toISOString()
    : null,
})

/** Maintains the projection of ENDPOINT components; an older version never replaces a newer one. */
import { eventHandler } from '@status-page/bus'
import { componentCreated, componentDeleted, componentUpdated } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { shardOf } from '@status-page/schedule'
import { ensureStates, lockVerdict, restartRuns, settleVerdicts } from '../verdicts/store.ts'
import { maintenanceEventHandler, suppressNewTarget } from './maintenance-suppression.ts'
import { type TargetDefinition, targetDefinitionOf } from './rules.ts'
import { notifyTargetChanged, replaceByTombstone, upsertTarget } from './store.ts'

/** Re-evaluates the verdict: fewer locations or another quorum may change it. */
const settle = async (scope: Scope, definition: TargetDefinition) => {
  const verdict = await lockVerdict(scope, definition.componentId)
  if (verdict === undefined) return
  const since = scope.now.toISOString()
  const target = { organizationId: scope.organizationId, ...definition }
  const events = await settleVerdicts(scope, [{ target, verdict, since, result: null }])
  return { events, audit: [] }
}

export const targetEventHandlers = [
  eventHandler({
    consumer: 'monitor-targets',
    on: [componentCreated, componentUpdated, componentDeleted],
    async handle(scope, { kind, aggregate, data: { component } }) {
      const { version } = aggregate
      const definition = targetDefinitionOf(component, { version, shard: shardOf(component.id) })
      if (definition === null) return
      if (kind === componentDeleted.kind) {
        await replaceByTombstone(scope, definition)
      } else {
        const stored = await upsertTarget(scope, definition)
        if (stored === null) return
        await ensureStates(scope, definition)
        // Applies to updates as well: the component may have been created with another type.
        if (stored === 'new') await suppressNewTarget(scope, component.id)
        if (!definition.isEnabled) await restartRuns(scope, component.id)
      }
      await notifyTargetChanged(scope, component.id)
      return kind === componentDeleted.kind ? undefined : settle(scope, definition)
    },
  }),
  maintenanceEventHandler,
]

/** Maintains the projection of ENDPOINT components; an older version never replaces a newer one. */
import { eventHandler } from '@status-page/bus'
import { componentCreated, componentDeleted, componentUpdated } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { shardOf } from '@status-page/schedule'
import { ensureStates, lockVerdict, restartRuns, settleVerdicts } from '../verdicts/store.ts'
import { suppressNewTarget } from './maintenance-suppression.ts'
import { type TargetDefinition, targetDefinitionOf } from './rules.ts'
import {
  listByIds,
  notifyTargetChanged,
  replaceByTombstone,
  type TargetRow,
  upsertTarget,
} from './store.ts'

/** Re-evaluates the verdict: fewer locations or another quorum may change it. */
const settle = async (scope: Scope, definition: TargetDefinition) => {
  const verdict = await lockVerdict(scope, definition.componentId)
  if (verdict === undefined) return
  const since = scope.now.toISOString()
  const target = { organizationId: scope.organizationId, ...definition }
  const events = await settleVerdicts(scope, [{ target, verdict, since, result: null }])
  return { events, audit: [] }
}

/** Rows of other features about a target. */
export interface TargetPart {
  /** Applies a new definition; `before` is the stored target. */
  apply(scope: Scope, definition: TargetDefinition, before: TargetRow | undefined): Promise<void>
  remove(scope: Scope, componentId: string): Promise<void>
}

export const targetEventHandler = (part: TargetPart) =>
  eventHandler({
    consumer: 'monitor-targets',
    isBatched: true,
    on: [componentCreated, componentUpdated, componentDeleted],
    async handle(scope, { kind, aggregate, data: { component } }) {
      const { version } = aggregate
      const definition = targetDefinitionOf(component, { version, shard: shardOf(component.id) })
      if (definition === null) return
      const [before] = await listByIds(scope, [component.id])
      if (kind === componentDeleted.kind) {
        await part.remove(scope, component.id)
        await replaceByTombstone(scope, definition)
      } else {
        const stored = await upsertTarget(scope, definition)
        if (stored === null) return
        await part.apply(scope, definition, before)
        await ensureStates(scope, definition)
        // Applies to updates as well: the component may have been created with another type.
        if (stored === 'new') await suppressNewTarget(scope, component.id)
        if (!definition.isEnabled) await restartRuns(scope, component.id)
      }
      await notifyTargetChanged(scope, component.id)
      return kind === componentDeleted.kind ? undefined : settle(scope, definition)
    },
  })

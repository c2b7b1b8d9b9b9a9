/** Maintains the projection of ENDPOINT components; an older version never replaces a newer one. */
import { eventHandler } from '@status-page/bus'
import {
  componentCreated,
  componentDeleted,
  componentUpdated,
  type Outcome,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { shardOf } from '@status-page/schedule'
import { ensureStates, lockVerdict, restartRuns, settleVerdicts } from '../checks/store.ts'
import { holdNew, holdReaction } from './holds.ts'
import { definitionOf, type TargetDefinition } from './rules.ts'
import { announce, bury, upsert } from './store.ts'

const done: Outcome<undefined> = { result: undefined, events: [], audit: [] }

/** Re-evaluates the verdict: fewer locations or another quorum may change it. */
const settle = async (scope: Scope, definition: TargetDefinition): Promise<Outcome<undefined>> => {
  const verdict = await lockVerdict(scope, definition.componentId)
  if (verdict === undefined) return done
  const since = scope.now.toISOString()
  const target = { organizationId: scope.organizationId, ...definition }
  const events = await settleVerdicts(scope, [{ target, verdict, since, result: null }])
  return { ...done, events }
}

export const targetReactions = [
  eventHandler({
    consumer: 'monitor-targets',
    on: [componentCreated, componentUpdated, componentDeleted],
    async handle(scope, { kind, aggregate, data: { component } }) {
      const { version } = aggregate
      const definition = definitionOf(component, { version, shard: shardOf(component.id) })
      if (definition === null) return done
      if (kind === componentDeleted.kind) {
        await bury(scope, definition)
      } else {
        const kept = await upsert(scope, definition)
        if (kept === null) return done
        await ensureStates(scope, definition)
        // Applies to updates as well: the component may have been created with another type.
        if (kept === 'new') await holdNew(scope, component.id)
        if (!definition.isEnabled) await restartRuns(scope, component.id)
      }
      await announce(scope, component.id)
      return kind === componentDeleted.kind ? done : settle(scope, definition)
    },
  }),
  holdReaction,
]

/** Keeps the copy of ENDPOINT components; an older version never replaces a newer one. */
import { reaction } from '@status-page/bus'
import {
  componentCreated,
  componentDeleted,
  componentUpdated,
  type Outcome,
} from '@status-page/contracts'
import { shardOf } from '@status-page/schedule'
import { ensureState, restartRuns } from '../checks/store.ts'
import { definitionOf } from './rules.ts'
import { announce, bury, upsert } from './store.ts'

const done: Outcome<undefined> = { result: undefined, events: [], audit: [] }

export const targetReactions = [
  reaction({
    consumer: 'monitor-targets',
    on: [componentCreated, componentUpdated, componentDeleted],
    async handle(scope, { kind, aggregate, data: { component } }) {
      const { version } = aggregate
      const definition = definitionOf(component, { version, shard: shardOf(component.id) })
      if (definition === null) return done
      if (kind === componentDeleted.kind) {
        await bury(scope, definition)
      } else {
        if (!(await upsert(scope, definition))) return done
        await ensureState(scope, component.id)
        if (!definition.isEnabled) await restartRuns(scope, component.id)
      }
      await announce(scope, component.id)
      return done
    },
  }),
]

/** Maintains the projection of METRIC components; an older version never replaces a newer one. */
import { eventHandler } from '@status-page/bus'
import { componentCreated, componentDeleted, componentUpdated } from '@status-page/contracts'
import { shardOf } from '@status-page/schedule'
import { settingsOf } from './rules.ts'
import { recordComponent, removeQueriesOf, replaceByTombstone, upsert } from './store.ts'

export const componentEventHandler = eventHandler({
  consumer: 'integrations-components',
  isBatched: true,
  on: [componentCreated, componentUpdated, componentDeleted],
  async handle(scope, { kind, aggregate, data: { component } }) {
    const { id } = component
    const { version } = aggregate
    const isRemoved = kind === componentDeleted.kind
    await recordComponent(scope, { id, version, isRemoved })
    if (isRemoved) await removeQueriesOf(scope, id)
    const settings = settingsOf(component, { version, shard: shardOf(id) })
    if (settings !== null && isRemoved) await replaceByTombstone(scope, settings)
    else if (settings !== null) await upsert(scope, settings)
  },
})

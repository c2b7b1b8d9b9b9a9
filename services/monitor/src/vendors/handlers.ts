/** Maintains the followers of pages of vendors from the events of components. */
import { eventHandler } from '@status-page/bus'
import { componentCreated, componentDeleted, componentUpdated } from '@status-page/contracts'
import { shardOf } from '@status-page/schedule'
import { saveFollower } from './followers.ts'
import { vendorPageKey } from './sources.ts'

export const vendorPageHandler = eventHandler({
  consumer: 'monitor-vendor-pages',
  isBatched: true,
  on: [componentCreated, componentUpdated, componentDeleted],
  async handle(scope, { kind, aggregate: { version }, data: { component } }) {
    const { id: componentId, name, isEnabled, upstream } = component
    if (upstream === undefined) return
    // No older event can restore an upstream of a component that was created without one.
    if (upstream === null && kind === componentCreated.kind) return
    const state = { componentId, version, name, isEnabled }
    if (upstream === null || kind === componentDeleted.kind) {
      await saveFollower(scope, { ...state, followed: null })
      return
    }
    const { url, component: vendorComponent } = upstream
    const pageUrl = vendorPageKey(url)
    const followed = {
      pageUrl,
      shard: shardOf(pageUrl),
      upstream: { url, component: vendorComponent },
    }
    await saveFollower(scope, { ...state, followed })
  },
})

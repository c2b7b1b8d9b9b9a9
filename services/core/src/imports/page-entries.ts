/** Entries of an imported page for its components. Pure. */
import { MAX_PAGE_COMPONENTS, type PageComponent } from '@status-page/contracts'
import type { SourceComponentInput } from './source/components.ts'

type Listed = Pick<SourceComponentInput, 'sourceId' | 'parentSourceId' | 'order' | 'showUptime'>

/**
 * Entries of the existing components, by their id at the source: those at the top in their order,
 * and members of groups whose uptime is hidden, as groups show their members. At most as many as a
 * page with `listed` entries can still have.
 */
export const pageEntries = (
  components: readonly Listed[],
  existing: ReadonlyMap<string, { id: string }>,
  listed: number,
): PageComponent[] =>
  components
    .filter(({ parentSourceId, showUptime }) => parentSourceId === null || !showUptime)
    .toSorted((left, right) => depthOf(left) - depthOf(right) || left.order - right.order)
    .flatMap(({ sourceId, order, showUptime }) => {
      const component = existing.get(sourceId)
      return component === undefined ? [] : [entryOf(component.id, order, showUptime)]
    })
    .slice(0, MAX_PAGE_COMPONENTS - listed)

const depthOf = ({ parentSourceId }: Listed): number => (parentSourceId === null ? 0 : 1)

const entryOf = (componentId: string, order: number, showUptime: boolean): PageComponent => ({
  componentId,
  displayName: null,
  groupName: null,
  order,
  showUptime,
  showChildren: true,
})

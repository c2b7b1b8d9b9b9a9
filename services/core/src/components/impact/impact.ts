/** Impact of an outage: the components that depend on a component, and the pages that show them. */
import {
  type componentOperations,
  type ImpactedComponent,
  limitAndOffset,
  type Query,
  sortOrderOf,
} from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { shownComponentFilter } from '../../status-pages/settings/shown.ts'
import { listPublishedPages } from '../../status-pages/settings/store.ts'
import { dependentsOf, reachableFrom } from '../dependencies/graph.ts'
import { loadDependencies } from '../dependencies/store.ts'
import { ancestorsOf, findComponent, findComponents } from '../store.ts'

type ImpactQuery = Query<typeof componentOperations.impact>

export const impactOf = async (
  scope: Scope,
  componentId: string,
  query: ImpactQuery,
): Promise<{ data: ImpactedComponent[]; total: number }> => {
  await findComponent(scope, componentId)
  const depths = reachableFrom(dependentsOf(await loadDependencies(scope)), componentId)
  const rows = [...(await findComponents(scope, [...depths.keys()])).values()]
  const sorted = rows
    .map(({ id, name, status, isEnabled }) => {
      const depth = depths.get(id) ?? 1
      return { id, name, status, isEnabled, depth }
    })
    .toSorted(comparison(query))
  const { limit, offset } = limitAndOffset(query)
  const listed = sorted.slice(offset, offset + limit)
  const pagesOf = await statusPagesByComponent(scope, listed)
  const data = listed.map(({ isEnabled: _isEnabled, ...component }) => ({
    ...component,
    statusPages: pagesOf.get(component.id) ?? [],
  }))
  return { data, total: sorted.length }
}

type Sorted = Pick<ImpactedComponent, 'id' | 'name' | 'depth'>

const comparison = (query: ImpactQuery) => {
  const direction = sortOrderOf(query) === 'asc' ? 1 : -1
  return (left: Sorted, right: Sorted): number => {
    const byDepth = query.sortBy === 'depth' ? direction * (left.depth - right.depth) : 0
    const nameDirection = query.sortBy === 'name' ? direction : 1
    return byDepth || nameDirection * left.name.localeCompare(right.name) || compareIds(left, right)
  }
}

const compareIds = (left: Sorted, right: Sorted): number => (left.id < right.id ? -1 : 1)

const statusPagesByComponent = async (
  scope: Scope,
  components: readonly { id: string; isEnabled: boolean }[],
): Promise<Map<string, ImpactedComponent['statusPages']>> => {
  const ids = components.map(({ id }) => id)
  const ancestors = await ancestorsOf(scope, ids)
  const pages = (await listPublishedPages(scope)).map((page) => {
    const { id, name, slug } = page
    return { page: { id, name, slug }, isShown: shownComponentFilter(page) }
  })
  return new Map(
    components.map((component) => {
      const placed = { component, ancestors: ancestors.get(component.id) ?? [] }
      const shown = pages.filter(({ isShown }) => isShown(placed))
      return [component.id, shown.map(({ page }) => page)]
    }),
  )
}

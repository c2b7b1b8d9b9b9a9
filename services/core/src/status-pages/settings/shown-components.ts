/** Components that a page shows, in its order. Pure. */
import type { ComponentStatus } from '@status-page/contracts'
import { farthestDependency } from '../../components/dependencies/graph.ts'
import { worstStatus } from '../../components/uptime/uptime.ts'
import type { ComponentRow, StatusPageRow } from '../../tables.ts'
import { findAncestors, shownComponentFilter } from './shown.ts'

/** Component that a page shows, with the rows that determine its public status and history. */
export interface ShownComponent {
  component: ComponentRow
  parentId: string | null
  name: string
  groupName: string | null
  order: number
  showUptime: boolean
  /** The component and its enabled descendants. */
  subtree: readonly ComponentRow[]
  /** Shown component whose outage explains the one of this component. */
  cause: { id: string; name: string } | null
}

/**
 * Parents before children; top-level components in the order of the page, children in their own
 * order.
 */
export const shownComponents = (
  page: StatusPageRow,
  all: readonly ComponentRow[],
): ShownComponent[] => {
  const byId = new Map(all.map((row) => [row.id, row]))
  const isShown = shownComponentFilter(page)
  const visible = all.filter((component) =>
    isShown({ component, ancestors: findAncestors(byId, component) }),
  )
  const visibleIds = new Set(visible.map(({ id }) => id))
  const children = Map.groupBy(all, ({ parentComponentId }) => parentComponentId)
  const entries = new Map(page.components.map((entry) => [entry.componentId, entry]))
  const nameOf = ({ id, name }: ComponentRow) => entries.get(id)?.displayName ?? name
  const causeOf = causeFinder(all, visibleIds)
  const describe = (component: ComponentRow): ShownComponent => {
    const entry = entries.get(component.id)
    const cause = causeOf(component)
    const { parentComponentId } = component
    return {
      component,
      parentId: visibleIds.has(parentComponentId ?? '') ? parentComponentId : null,
      name: nameOf(component),
      groupName: entry?.groupName ?? null,
      order: entry?.order ?? component.order,
      showUptime: entry?.showUptime ?? true,
      subtree: subtreeOf(component, children),
      cause: cause === undefined ? null : { id: cause.id, name: nameOf(cause) },
    }
  }
  return parentsFirst(visible.map(describe))
}

/** Finds causes among the visible components; chains may lead through hidden ones. */
const causeFinder = (all: readonly ComponentRow[], visibleIds: ReadonlySet<string>) => {
  const dependencies = new Map(
    all.filter(({ dependsOn }) => dependsOn.length > 0).map(({ id, dependsOn }) => [id, dependsOn]),
  )
  const down = new Map(all.filter(isDown).map((row) => [row.id, row]))
  return (component: ComponentRow): ComponentRow | undefined => {
    if (!isDown(component)) return undefined
    const matches = (id: string) => visibleIds.has(id) && down.has(id)
    return down.get(farthestDependency(dependencies, component.id, matches) ?? '')
  }
}

const isDown = ({ status }: ComponentRow): boolean => status === 'major_outage'

const parentsFirst = (shown: readonly ShownComponent[]): ShownComponent[] => {
  const below = Map.groupBy(
    shown.toSorted((left, right) => left.order - right.order || compare(left, right)),
    ({ parentId }) => parentId,
  )
  const walk = (parentId: string | null): ShownComponent[] =>
    (below.get(parentId) ?? []).flatMap((child) => [child, ...walk(child.component.id)])
  return walk(null)
}

const compare = (left: ShownComponent, right: ShownComponent): number => {
  if (left.name !== right.name) return left.name < right.name ? -1 : 1
  return left.component.id < right.component.id ? -1 : 1
}

const subtreeOf = (
  component: ComponentRow,
  children: ReadonlyMap<string | null, readonly ComponentRow[]>,
): ComponentRow[] => [
  component,
  ...(children.get(component.id) ?? [])
    .filter(({ isEnabled }) => isEnabled)
    .flatMap((child) => subtreeOf(child, children)),
]

/** Components of the page's defaults for new subscribers that the page shows. */
export const defaultComponentIds = (
  { subscriberDefaults }: StatusPageRow,
  shown: readonly ShownComponent[],
): string[] => {
  const shownIds = new Set(shown.map(({ component }) => component.id))
  return subscriberDefaults.componentIds.filter((id) => shownIds.has(id))
}

export const shownStatus = ({ subtree }: ShownComponent): ComponentStatus =>
  worstStatus(subtree.map(({ status }) => status)) ?? 'operational'

/** What incidents and maintenances list, as it stands now: the components, and the pages that show them. */
import type { ComponentStatus } from '@status-page/contracts'
import type { Scope } from '@status-page/postgres'
import { type Ancestor, ancestorsOf, findShown, type ShownComponent } from '../components/store.ts'
import type { StatusPageRow } from '../tables.ts'
import { showsIncident } from './shown.ts'
import { publishedPages } from './store.ts'

/** Name and status as they were last known. */
export interface Listed {
  componentId: string
  name: string
  status: ComponentStatus
  /** Pages on which an incident stays that listed the component when it was deleted. */
  retainedPageIds?: readonly string[]
}

export interface Surroundings {
  /** By the id of the incident or maintenance. */
  listed: ReadonlyMap<string, readonly Listed[]>
  /** Components that exist. */
  live: ReadonlyMap<string, ShownComponent>
  ancestors: ReadonlyMap<string, readonly Ancestor[]>
  /** Published ones, oldest first. */
  pages: readonly StatusPageRow[]
}

export const surroundingsOf = async (
  scope: Scope,
  listing: Promise<Surroundings['listed']>,
): Promise<Surroundings> => {
  const [listed, pages] = await Promise.all([listing, publishedPages(scope)])
  const ids = new Set([...listed.values()].flat().map(({ componentId }) => componentId))
  const [live, ancestors] = await Promise.all([
    findShown(scope, [...ids]),
    ancestorsOf(scope, [...ids]),
  ])
  return { listed, live, ancestors, pages }
}

/** Name and status of now; of a component that is gone the last known ones. */
export const affectedComponents = (id: string, { listed, live }: Surroundings) =>
  (listed.get(id) ?? []).map(({ componentId, name, status }) => {
    const { name: nameNow, status: statusNow } = live.get(componentId) ?? { name, status }
    return { id: componentId, name: nameNow, status: statusNow }
  })

/** With all that a scope may go by. */
export const toldComponents = (id: string, around: Surroundings) =>
  affectedComponents(id, around).map((component) => ({
    ...component,
    isMuted: around.live.get(component.id)?.isMuted ?? false,
    ancestorIds: (around.ancestors.get(component.id) ?? []).map((ancestor) => ancestor.id),
  }))

export const showingPages = (
  id: string,
  { listed, live, ancestors, pages }: Surroundings,
): StatusPageRow[] => {
  const rows = listed.get(id) ?? []
  const placed = rows.flatMap(({ componentId }) => {
    const component = live.get(componentId)
    return component === undefined
      ? []
      : [{ component, ancestors: ancestors.get(componentId) ?? [] }]
  })
  return pages.filter(
    (page) =>
      showsIncident(page, { ids: rows.length, placed }) ||
      rows.some(({ retainedPageIds }) => retainedPageIds?.includes(page.id)),
  )
}

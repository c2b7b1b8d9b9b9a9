/** Which components a status page shows: those it lists, and what is enabled below them. */
import type { Node } from '../components/tree.ts'
import type { ComponentRow, StatusPageRow } from '../tables.ts'

type Listing = Pick<StatusPageRow, 'components'>

/** A component with those above it, parent first, root last. */
export interface Placed {
  component: Pick<ComponentRow, 'id' | 'isEnabled'>
  ancestors: readonly Pick<ComponentRow, 'id' | 'isEnabled'>[]
}

/** Disabled components are never shown, nor what is reached only through them. */
export const shows = (page: Listing, { component, ancestors }: Placed): boolean => {
  if (!component.isEnabled) return false
  if (page.components.some(({ componentId }) => componentId === component.id)) return true
  if (page.components.length === 0) return ancestors.every(({ isEnabled }) => isEnabled)
  for (const ancestor of ancestors) {
    if (!ancestor.isEnabled) return false
    const entry = page.components.find(({ componentId }) => componentId === ancestor.id)
    if (entry?.showChildren === true) return true
  }
  return false
}

/** Those above a component, by its parents. */
export const ancestorsIn = <Item extends Node>(
  all: ReadonlyMap<string, Item>,
  item: Item,
): Item[] => {
  const chain: Item[] = []
  let parent = all.get(item.parentComponentId ?? '')
  while (parent !== undefined) {
    chain.push(parent)
    parent = all.get(parent.parentComponentId ?? '')
  }
  return chain
}

/** An incident is on a page that shows one of its components, or on all if it lists none. */
export const showsIncident = (
  page: Listing,
  affected: { ids: number; placed: readonly Placed[] },
) => affected.ids === 0 || affected.placed.some((one) => shows(page, one))

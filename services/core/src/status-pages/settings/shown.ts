/**
 * Selects the components that a status page shows: the listed ones and their enabled descendants.
 */
import type { ComponentNode } from '../../components/tree.ts'
import type { ComponentRow, StatusPageRow } from '../../tables.ts'

type Listing = Pick<StatusPageRow, 'components'>

/** Component with its ancestors, parent first, root last. */
export interface ComponentWithAncestors {
  component: Pick<ComponentRow, 'id' | 'isEnabled'>
  ancestors: readonly Pick<ComponentRow, 'id' | 'isEnabled'>[]
}

/**
 * Returns a filter of the components that the page shows; disabled components and those only below
 * them are hidden. It indexes the entries of the page once, for any number of components.
 */
export const shownComponentFilter = ({
  components,
}: Listing): ((component: ComponentWithAncestors) => boolean) => {
  const entries = new Map(components.map((entry) => [entry.componentId, entry]))
  return ({ component, ancestors }) => {
    if (!component.isEnabled) return false
    if (entries.has(component.id)) return true
    if (entries.size === 0) return ancestors.every(({ isEnabled }) => isEnabled)
    for (const ancestor of ancestors) {
      if (!ancestor.isEnabled) return false
      if (entries.get(ancestor.id)?.showChildren === true) return true
    }
    return false
  }
}

/** Ancestors of a component, found by parent ids. */
export const findAncestors = <Item extends ComponentNode>(
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

/** A component that is deleted, with the pages that show it. */
export interface DeletedComponentPages {
  componentId: string
  pageIds: readonly string[]
}

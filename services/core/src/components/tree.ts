/** The tree of components: no cycles, at most ten levels. */
import { invalid, MAX_COMPONENT_DEPTH } from '@status-page/contracts'

export interface ComponentNode {
  id: string
  parentComponentId: string | null
}

/**
 * Rejects a parent that would close a cycle or exceed the depth limit. `ancestorIds` are the parent
 * and its ancestors; `height` counts the levels below the component.
 */
export const validateParent = (input: {
  id: string | null
  ancestorIds: readonly string[]
  height: number
}): void => {
  const field = 'parentComponentId'
  if (input.id !== null && input.ancestorIds.includes(input.id)) {
    throw invalid({
      field,
      message: 'parentComponentId must not be a subcomponent of the component itself',
    })
  }
  if (input.ancestorIds.length + 1 + input.height > MAX_COMPONENT_DEPTH) {
    const message = `Components can be nested at most ${MAX_COMPONENT_DEPTH} levels deep`
    throw invalid({ field, message })
  }
}

/** Ids of the ancestors, parent first, root last. */
export const ancestorIdsOf = (
  parents: ReadonlyMap<string, string | null>,
  parentId: string | null,
): string[] => {
  const ids: string[] = []
  for (let id = parentId; id !== null; id = parents.get(id) ?? null) {
    if (ids.length >= MAX_COMPONENT_DEPTH) break
    ids.push(id)
  }
  return ids
}

/** Levels below a component: 0 for a leaf. `descendants` are all nodes below it. */
export const subtreeHeight = (id: string, descendants: readonly ComponentNode[]): number => {
  const parents = new Map(descendants.map((node) => [node.id, node.parentComponentId]))
  const depth = (node: ComponentNode): number => {
    const chain = ancestorIdsOf(parents, node.parentComponentId)
    return chain.indexOf(id) + 1
  }
  return Math.max(0, ...descendants.map(depth))
}

/** Tree of components, in the order of the API. */
import type { Schemas } from '@status-page/client'

export type ComponentData = Schemas['Component']

export interface TreeNode {
  id: string
  component: ComponentData
  children: TreeNode[]
}

/** A component whose parent is not in the list is at the top. */
export const treeOf = (components: readonly ComponentData[]): TreeNode[] => {
  const nodes = new Map<string, TreeNode>()
  for (const component of components) {
    nodes.set(component.id, { id: component.id, component, children: [] })
  }
  const top: TreeNode[] = []
  for (const node of nodes.values()) {
    const parent = nodes.get(node.component.parentComponentId ?? '')
    if (parent === undefined) top.push(node)
    else parent.children.push(node)
  }
  return top
}

/** Nodes that match, with their ancestors. */
export const filterTree = (
  nodes: readonly TreeNode[],
  matches: (component: ComponentData) => boolean,
): TreeNode[] =>
  nodes.flatMap((node) => {
    const children = filterTree(node.children, matches)
    return children.length > 0 || matches(node.component) ? [{ ...node, children }] : []
  })

export const descendantsOf = (node: TreeNode): TreeNode[] =>
  node.children.flatMap((child) => [child, ...descendantsOf(child)])

/** All nodes, parents before their children. */
export const flatten = (nodes: readonly TreeNode[]): TreeNode[] =>
  nodes.flatMap((node) => [node, ...descendantsOf(node)])

/** Number of nodes that are displayed: those below collapsed nodes are not. */
export const visibleCount = (nodes: readonly TreeNode[], expanded: ReadonlySet<string>): number =>
  nodes.reduce(
    (sum, { id, children }) => sum + 1 + (expanded.has(id) ? visibleCount(children, expanded) : 0),
    0,
  )

/** Chosen nodes without those below another chosen one, which an action on that one includes. */
export const topmost = (nodes: readonly TreeNode[], chosen: ReadonlySet<string>): TreeNode[] =>
  nodes.flatMap((node) => (chosen.has(node.id) ? [node] : topmost(node.children, chosen)))

/** Place of moved components: below a parent, before one of its children or at its end. */
export interface Placement {
  componentIds: string[]
  parentComponentId: string | null
  beforeId: string | null
}

export interface DropTarget {
  key: string
  position: 'before' | 'after' | 'on'
}

/** Place that a drop target denotes; null for a target below one of the moved components. */
export const placementOf = (
  nodes: readonly TreeNode[],
  moved: ReadonlySet<string>,
  { key, position }: DropTarget,
): Placement | null => {
  const movedNodes = topmost(nodes, moved)
  const isInside = movedNodes.some(
    (node) => node.id === key || descendantsOf(node).some(({ id }) => id === key),
  )
  const target = flatten(nodes).find(({ id }) => id === key)
  if (isInside || target === undefined) return null
  const componentIds = movedNodes.map(({ id }) => id)
  if (position === 'on') return { componentIds, parentComponentId: key, beforeId: null }
  const { parentComponentId } = target.component
  const siblings = flatten(nodes).filter(
    ({ component }) => component.parentComponentId === parentComponentId,
  )
  const following = siblings.slice(siblings.indexOf(target) + (position === 'after' ? 1 : 0))
  const before = following.find(({ id }) => !componentIds.includes(id))
  return { componentIds, parentComponentId, beforeId: before?.id ?? null }
}

/** The list as it is after the move, before the service has confirmed it. */
export const placed = (
  components: readonly ComponentData[],
  { componentIds, parentComponentId, beforeId }: Placement,
): ComponentData[] => {
  const moved = componentIds.flatMap((id) => components.find((one) => one.id === id) ?? [])
  const others = components.filter(({ id }) => !componentIds.includes(id))
  const index = beforeId === null ? others.length : others.findIndex(({ id }) => id === beforeId)
  return [
    ...others.slice(0, index),
    ...moved.map((component) => ({ ...component, parentComponentId })),
    ...others.slice(index),
  ]
}

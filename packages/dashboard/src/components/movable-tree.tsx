/** Tree of components whose rows are dragged, or moved by keyboard. */
import { useMemo } from 'react'
import { type DragAndDropOptions, useDragAndDrop } from 'react-aria-components'
import { ComponentTree, type ComponentTreeProps } from './component-tree.tsx'
import { useDragSource } from './drag-source.tsx'
import { type Placement, placementOf, type TreeNode } from './tree.ts'

interface MovableTreeProps extends ComponentTreeProps {
  /** The place is null where the target has disappeared during the drag. */
  onMove(placement: Placement | null): void
}

export const MovableTree = ({ onMove, ...props }: MovableTreeProps) => {
  const { tree, isFiltered } = props
  // Other options would make the library render all rows again.
  const options = useMemo(
    (): DragAndDropOptions<TreeNode> => ({
      isDisabled: isFiltered,
      getItems: (_keys, items) => items.map(({ component }) => ({ 'text/plain': component.name })),
      getDropOperation: (target) => (target.type === 'root' ? 'cancel' : 'move'),
      onMove: ({ keys, target }) => {
        const position = { key: String(target.key), position: target.dropPosition }
        onMove(placementOf(tree, keys as Set<string>, position))
      },
    }),
    [tree, isFiltered, onMove],
  )
  const { hooks, element } = useDragSource(useDragAndDrop(options).dragAndDropHooks)
  return (
    <>
      <ComponentTree {...props} dragAndDropHooks={hooks} />
      {element}
    </>
  )
}

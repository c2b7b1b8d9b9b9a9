/** Tree of components whose rows are dragged, or moved by keyboard. */
import { useMemo } from 'react'
import { type DragAndDropOptions, useDragAndDrop } from 'react-aria-components'
import { ProblemNote } from '../app/problem-note.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ComponentTree, type ComponentTreeProps } from './component-tree.tsx'
import { useDragSource } from './drag-source.tsx'
import { placementOf, type TreeNode } from './tree.ts'
import { useMoveComponents } from './use-move-components.ts'

export const MovableTree = (props: ComponentTreeProps) => {
  const { tree, isFiltered } = props
  const move = useMoveComponents()
  const { mutate } = move
  // Other options would make the library render all rows again.
  const options = useMemo(
    (): DragAndDropOptions<TreeNode> => ({
      isDisabled: isFiltered,
      getItems: (_keys, items) => items.map(({ component }) => ({ 'text/plain': component.name })),
      getDropOperation: (target) => (target.type === 'root' ? 'cancel' : 'move'),
      onMove: ({ keys, target }) => {
        const position = { key: String(target.key), position: target.dropPosition }
        const placement = placementOf(tree, keys as Set<string>, position)
        if (placement !== null) mutate(placement)
      },
    }),
    [tree, isFiltered, mutate],
  )
  const { hooks, element } = useDragSource(useDragAndDrop(options).dragAndDropHooks)
  return (
    <>
      <MoveResult error={move.error} />
      <ComponentTree {...props} dragAndDropHooks={hooks} />
      {element}
    </>
  )
}

const MoveResult = ({ error }: { error: unknown }) => {
  const { componentScreens: texts } = useTexts()
  if (error === null) return null
  return (
    <>
      <Note state="part">{texts.move.failed}</Note>
      <ProblemNote error={error} />
    </>
  )
}

/**
 * One source of drags for all rows. The library has one per row, which subscribes to the kind of
 * input and describes the drag for it: the first key after a click rendered all rows twice.
 */
import { type ReactNode, useMemo, useState } from 'react'
import type { DragAndDropHooks, Key } from 'react-aria-components'
import type { TreeNode } from './tree.ts'

type Hooks = DragAndDropHooks<TreeNode>
type DragHook = NonNullable<Hooks['useDraggableItem']>
type DragState = Parameters<DragHook>[1]

interface DragSource {
  /** State of the tree as of its last render. */
  state: DragState | null
  /** Row whose drag begins: the library reads the key then. */
  item: { key: Key; hasDragButton: true }
  drag: ReturnType<DragHook>
}

const DESCRIPTION_ID = 'drag-description'

export const useDragSource = (hooks: Hooks): { hooks: Hooks; element: ReactNode } => {
  const [source] = useState<DragSource>(() => ({
    state: null,
    item: { key: '', hasDragButton: true },
    drag: { dragProps: {}, dragButtonProps: {} },
  }))
  return {
    hooks: useMemo(() => withSource(hooks, source), [hooks, source]),
    element: <Source hooks={hooks} source={source} />,
  }
}

const withSource = (hooks: Hooks, source: DragSource): Hooks => ({
  ...hooks,
  useDraggableCollection(props, state, ref) {
    source.state = state
    hooks.useDraggableCollection?.(props, state, ref)
  },
  useDraggableItem: ({ key }, { isDisabled }) => ({
    dragProps: isDisabled
      ? {}
      : {
          draggable: true,
          onDragStart(event) {
            source.item.key = key
            source.drag.dragProps.onDragStart?.(event)
          },
          onDrag: (event) => source.drag.dragProps.onDrag?.(event),
          onDragEnd: (event) => source.drag.dragProps.onDragEnd?.(event),
        },
    dragButtonProps: {
      isDisabled,
      'aria-describedby': DESCRIPTION_ID,
      onPress(event) {
        source.item.key = key
        source.drag.dragButtonProps.onPress?.(event)
      },
    },
  }),
})

/** Follows the tree, whose state is known once it is rendered. */
const Source = ({ hooks: { useDraggableItem }, source }: { hooks: Hooks; source: DragSource }) => {
  const [state] = useState(
    () => new Proxy({} as DragState, { get: (_, name) => Reflect.get(source.state ?? {}, name) }),
  )
  if (useDraggableItem !== undefined) source.drag = useDraggableItem(source.item, state)
  const description = source.drag.dragButtonProps['aria-describedby']
  return (
    <span id={DESCRIPTION_ID} hidden>
      {description !== undefined && document.getElementById(description)?.textContent}
    </span>
  )
}

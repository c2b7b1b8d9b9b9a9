/** Tree of components. Only visible rows are in the document; rows are dragged or moved by keyboard. */
import { useNavigate } from '@tanstack/react-router'
import { memo, useMemo, useState } from 'react'
import {
  Button,
  Collection,
  type DragAndDropOptions,
  type Key,
  ListLayout,
  type Selection,
  Tree,
  TreeItem,
  TreeItemContent,
  useDragAndDrop,
  Virtualizer,
} from 'react-aria-components'
import { ProblemNote } from '../app/problem-note.tsx'
import { Checkbox } from '../kit/checkbox.tsx'
import { Icon } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ComponentRow } from './component-row.tsx'
import classes from './components.module.css'
import { flatten, placementOf, type TreeNode } from './tree.ts'
import { useMoveComponents } from './use-move-components.ts'

/** The layout of a virtual list requires it in pixels. */
const ROW_SIZE_PX = 52

interface ComponentTreeProps {
  tree: readonly TreeNode[]
  /** Part of the tree that the filter permits. */
  shown: readonly TreeNode[]
  isFiltered: boolean
  selected: ReadonlySet<string>
  onSelect(selected: ReadonlySet<string>): void
}

export const ComponentTree = (props: ComponentTreeProps) => {
  const { tree, shown, isFiltered, selected, onSelect } = props
  const { componentScreens: texts } = useTexts()
  const { can } = useSession()
  const navigate = useNavigate()
  const canChange = can('COMPONENTS_UPDATE')
  const canSelect = canChange || can('COMPONENTS_DELETE')
  const [collapsed, setCollapsed] = useState<ReadonlySet<Key>>(new Set())
  const { dragAndDropHooks, move } = useOrdering(tree, canChange && !isFiltered)
  const parents = useMemo(
    () => flatten(shown).flatMap(({ id, children }) => (children.length > 0 ? [id] : [])),
    [shown],
  )
  const expanded = isFiltered ? parents : parents.filter((id) => !collapsed.has(id))
  const expand = (keys: ReadonlySet<Key>) =>
    setCollapsed(new Set(parents.filter((id) => !keys.has(id))))
  const select = (keys: Selection) =>
    onSelect(keys === 'all' ? new Set(flatten(shown).map(({ id }) => id)) : (keys as Set<string>))
  return (
    <>
      <MoveResult move={move} />
      {canChange && isFiltered && <p className={classes.hint}>{texts.move.filtered}</p>}
      <ListHead />
      <Virtualizer layout={ListLayout} layoutOptions={layoutOptions}>
        <Tree
          className={classes.tree}
          aria-label={texts.tree}
          items={shown}
          selectionMode={canSelect ? 'multiple' : 'none'}
          selectedKeys={selected}
          onSelectionChange={select}
          expandedKeys={expanded}
          onExpandedChange={expand}
          onAction={(id) => void navigate({ to: '/components/$id', params: { id: String(id) } })}
          dragAndDropHooks={dragAndDropHooks}
        >
          {renderNode}
        </Tree>
      </Virtualizer>
    </>
  )
}

/** Names of the columns. Screen readers get them with each value. */
const ListHead = () => {
  const { columns } = useTexts().componentScreens
  return (
    <div className={classes.head} aria-hidden="true">
      <span>{columns.status}</span>
      <span>{columns.uptime}</span>
      <span>{columns.responseTime}</span>
      <span>{columns.lastCheck}</span>
    </div>
  )
}

const layoutOptions = { rowSize: ROW_SIZE_PX }

const renderNode = (node: TreeNode) => <ComponentItem node={node} />

const ComponentItem = ({ node }: { node: TreeNode }) => {
  const texts = useTexts()
  const { name, status } = node.component
  return (
    <TreeItem
      id={node.id}
      value={node}
      textValue={name}
      aria-label={`${name}, ${texts.components[status]}`}
      className={classes.item}
    >
      <TreeItemContent>
        {({ hasChildItems, isExpanded, level, selectionMode, allowsDragging }) => (
          <div className={classes.row} data-level={level}>
            {allowsDragging && <DragHandle name={node.component.name} />}
            {selectionMode === 'multiple' && <Checkbox slot="selection" />}
            <Chevron hasChildItems={hasChildItems} isExpanded={isExpanded} />
            <ComponentRow component={node.component} />
          </div>
        )}
      </TreeItemContent>
      <Collection items={node.children}>{renderNode}</Collection>
    </TreeItem>
  )
}

const DragHandle = memo(({ name }: { name: string }) => {
  const { componentScreens: texts } = useTexts()
  const { fill } = useFormats()
  return (
    <Button slot="drag" className={classes.handle} aria-label={fill(texts.row.drag, { name })}>
      <Icon name="handle" />
    </Button>
  )
})

const Chevron = (props: { hasChildItems: boolean; isExpanded: boolean }) => {
  const { row } = useTexts().componentScreens
  if (!props.hasChildItems) return <span className={classes.chevron} />
  return (
    <Button
      slot="chevron"
      className={classes.chevron}
      aria-label={props.isExpanded ? row.collapse : row.expand}
    >
      <Icon name="chevron" />
    </Button>
  )
}

type Move = ReturnType<typeof useMoveComponents>

const useOrdering = (tree: readonly TreeNode[], isEnabled: boolean) => {
  const move = useMoveComponents()
  const { mutate } = move
  // Other options would make the library render all rows again.
  const options = useMemo(
    (): DragAndDropOptions<TreeNode> => ({
      isDisabled: !isEnabled,
      getItems: (_keys, items) => items.map(({ component }) => ({ 'text/plain': component.name })),
      getDropOperation: (target) => (target.type === 'root' ? 'cancel' : 'move'),
      onMove: ({ keys, target }) => {
        const position = { key: String(target.key), position: target.dropPosition }
        const placement = placementOf(tree, keys as Set<string>, position)
        if (placement !== null) mutate(placement)
      },
    }),
    [tree, isEnabled, mutate],
  )
  const { dragAndDropHooks } = useDragAndDrop(options)
  return { dragAndDropHooks, move }
}

const MoveResult = ({ move }: { move: Move }) => {
  const { componentScreens: texts } = useTexts()
  if (move.error === null) return null
  return (
    <>
      <Note state="part">{texts.move.failed}</Note>
      <ProblemNote error={move.error} />
    </>
  )
}

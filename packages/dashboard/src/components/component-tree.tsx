/** Tree of components. Only visible rows are in the document. */
import { useNavigate } from '@tanstack/react-router'
import { type CSSProperties, type KeyboardEvent, type SyntheticEvent, useMemo } from 'react'
import {
  Button,
  ButtonContext,
  Collection,
  type DragAndDropHooks,
  type Key,
  ListLayout,
  type PressEvent,
  type Selection,
  Tree,
  TreeItem,
  TreeItemContent,
  type TreeState,
  useSlottedContext,
  Virtualizer,
} from 'react-aria-components'
import { RowCheckbox } from '../kit/checkbox.tsx'
import { Icon } from '../kit/icon.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { ComponentRow } from './component-row.tsx'
import classes from './components.module.css'
import { flatten, type TreeNode, visibleCount } from './tree.ts'

/** The layout of a virtual list requires it in pixels. */
const ROW_SIZE_PX = 52

export interface ComponentTreeProps {
  tree: readonly TreeNode[]
  /** Part of the tree that the filter permits. */
  shown: readonly TreeNode[]
  isFiltered: boolean
  selected: ReadonlySet<string>
  onSelect(selected: ReadonlySet<string>): void
  collapsed: ReadonlySet<Key>
  onCollapse(collapsed: ReadonlySet<Key>): void
  /** Absent where rows cannot be moved. */
  dragAndDropHooks?: DragAndDropHooks<TreeNode>
}

export const ComponentTree = (props: ComponentTreeProps) => {
  const { shown, isFiltered, selected, onSelect, collapsed, onCollapse, dragAndDropHooks } = props
  const { componentScreens: texts } = useTexts()
  const { can } = useSession()
  const navigate = useNavigate()
  const canSelect = can('COMPONENTS_UPDATE') || can('COMPONENTS_DELETE')
  const parents = useMemo(
    () => flatten(shown).flatMap(({ id, children }) => (children.length > 0 ? [id] : [])),
    [shown],
  )
  const expanded = isFiltered ? parents : parents.filter((id) => !collapsed.has(id))
  const rows = visibleCount(shown, new Set(expanded))
  const expand = (keys: ReadonlySet<Key>) =>
    onCollapse(new Set(parents.filter((id) => !keys.has(id))))
  const select = (keys: Selection) =>
    onSelect(keys === 'all' ? new Set(flatten(shown).map(({ id }) => id)) : (keys as Set<string>))
  return (
    <>
      <ListHead />
      <Virtualizer layout={ListLayout} layoutOptions={layoutOptions}>
        <Tree
          className={classes.tree}
          style={rowsHeight(rows)}
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
const BORDERS_PX = 2

/** Height of all rows: a short list has no empty space below it. */
const rowsHeight = (rows: number) =>
  ({ '--rows-height': `${rows * ROW_SIZE_PX + BORDERS_PX}px` }) as CSSProperties

const renderNode = (node: TreeNode) => <ComponentItem node={node} />

const ComponentItem = ({ node }: { node: TreeNode }) => {
  const texts = useTexts()
  const { facts, fill } = useFormats()
  const { name, status } = node.component
  return (
    <TreeItem
      id={node.id}
      value={node}
      textValue={name}
      aria-label={facts([name, texts.components[status]])}
      className={classes.item}
    >
      <TreeItemContent>
        {({
          hasChildItems,
          isExpanded,
          isSelected,
          level,
          selectionMode,
          allowsDragging,
          state,
        }) => (
          <div className={classes.row} data-level={level}>
            {allowsDragging && <DragHandle name={name} />}
            {selectionMode === 'multiple' && (
              <RowCheckbox
                label={fill(texts.componentScreens.row.select, { name })}
                isSelected={isSelected}
                onToggle={() => toggle(node.id, state.selectionManager)}
              />
            )}
            <Chevron hasChildItems={hasChildItems} isExpanded={isExpanded} />
            <ComponentRow component={node.component} />
          </div>
        )}
      </TreeItemContent>
      <Collection items={node.children}>{renderNode}</Collection>
    </TreeItem>
  )
}

/** The row takes the focus in the same render. */
const toggle = (id: string, manager: TreeState<TreeNode>['selectionManager']) => {
  manager.setFocused(true)
  manager.setFocusedKey(id)
  manager.toggleSelection(id)
}

/** Properties of a press that a drag reads. */
type DragPress = Pick<PressEvent, 'pointerType' | 'target'>

/** Lighter than the button of the library, which took a seventh of the time of a row. */
const DragHandle = ({ name }: { name: string }) => {
  const { row } = useTexts().componentScreens
  const { fill } = useFormats()
  const { onPress, isDisabled, ref, ...props } = useSlottedContext(ButtonContext, 'drag') ?? {}
  const begin = (event: SyntheticEvent, pointerType: DragPress['pointerType']) => {
    event.preventDefault()
    const press = onPress as ((press: DragPress) => void) | undefined
    press?.({ pointerType, target: event.currentTarget })
  }
  return (
    <button
      type="button"
      ref={ref}
      className={classes.handle}
      aria-label={fill(row.drag, { name })}
      aria-describedby={props['aria-describedby']}
      disabled={isDisabled}
      // The library ends a drag on keyup, and would end at once one that began on keydown.
      onKeyDown={(event) => isPressKey(event) && stopEvent(event)}
      onKeyUp={(event) => isPressKey(event) && begin(event, 'keyboard')}
      onClick={(event) => begin(event, 'virtual')}
    >
      <Icon name="handle" />
    </button>
  )
}

const isPressKey = ({ key }: KeyboardEvent) => key === 'Enter' || key === ' '

/** The row would open its component. */
const stopEvent = (event: SyntheticEvent) => {
  event.stopPropagation()
  event.preventDefault()
}

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

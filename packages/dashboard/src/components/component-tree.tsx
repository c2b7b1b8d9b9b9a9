/** Tree of components. Only visible rows are in the document. */
import { useNavigate } from '@tanstack/react-router'
import { type CSSProperties, memo, useMemo } from 'react'
import {
  Button,
  Collection,
  type DragAndDropHooks,
  type Key,
  ListLayout,
  type Selection,
  Tree,
  TreeItem,
  TreeItemContent,
  Virtualizer,
} from 'react-aria-components'
import { Checkbox } from '../kit/checkbox.tsx'
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
  const { facts } = useFormats()
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

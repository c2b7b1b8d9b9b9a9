/** Actions on the selected components, and the failure of a move. */
import { useState } from 'react'
import { componentStatuses } from '../api/contract.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { ActionMenu, type MenuAction } from '../kit/action-menu.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { SelectionBar, SelectionRegion } from '../kit/selection-bar.tsx'
import { lazyComponent, useLoaded } from '../modules/lazy-component.ts'
import { ModuleDialog } from '../modules/module-problem.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type BulkAction, useBulkAction } from './bulk-actions.ts'
import { DeleteDialog } from './delete-dialog.tsx'
import { type TreeNode, topmost } from './tree.ts'
import type { MoveFailure } from './use-move-components.ts'

const lazyMoveDialog = lazyComponent(async () => (await import('./move-dialog.tsx')).MoveDialog)

export interface BulkBarProps {
  tree: readonly TreeNode[]
  selected: ReadonlySet<string>
  onClear(): void
  moveFailure: MoveFailure | null
}

export const BulkBar = ({ tree, selected, onClear, moveFailure }: BulkBarProps) => {
  const { bulk: texts } = useTexts().componentScreens
  const { plural } = useFormats()
  const action = useBulkAction()
  const [dialog, setDialog] = useState<'move' | 'delete' | null>(null)
  const run = (next: BulkAction) => {
    setDialog(null)
    action.mutate(next, { onSuccess: onClear })
  }
  const isMoving = dialog === 'move'
  const move = useLoaded(lazyMoveDialog, { isNeeded: isMoving, isLoadedAhead: false })
  const close = () => setDialog(null)
  const nodes = topmost(tree, selected)
  return (
    <SelectionRegion>
      {selected.size > 0 && (
        <SelectionBar
          label={texts.label}
          count={plural(texts.selected, selected.size)}
          clear={texts.clear}
          onClear={onClear}
        >
          <BulkMenus
            ids={[...selected]}
            isRunning={action.isPending}
            onRun={run}
            onOpen={setDialog}
          />
        </SelectionBar>
      )}
      <BulkResult action={action} />
      {moveFailure !== null && <MoveResult failure={moveFailure} />}
      {isMoving && move.Component !== null && (
        <move.Component tree={tree} nodes={nodes} onClose={close} onMove={run} />
      )}
      {isMoving && move.error !== null && (
        <ModuleDialog title={texts.move} onRetry={move.retry} onClose={close} />
      )}
      {dialog === 'delete' && (
        <DeleteDialog
          nodes={nodes}
          onClose={close}
          onDelete={() => run({ kind: 'delete', ids: nodes.map(({ id }) => id) })}
        />
      )}
    </SelectionRegion>
  )
}

interface BulkMenusProps {
  ids: string[]
  isRunning: boolean
  onRun(action: BulkAction): void
  onOpen(dialog: 'move' | 'delete'): void
}

const BulkMenus = ({ ids, isRunning, onRun, onOpen }: BulkMenusProps) => {
  const texts = useTexts()
  const { bulk } = texts.componentScreens
  const { can } = useSession()
  const canUpdate = can('COMPONENTS_UPDATE')
  const change = (change: Extract<BulkAction, { kind: 'update' }>['change']) => () =>
    onRun({ kind: 'update', ids, change })
  const statuses = componentStatuses.map((status): MenuAction => {
    return { id: status, label: texts.components[status], onAction: change({ status }) }
  })
  const updates: MenuAction[] = [
    { id: 'move', label: bulk.move, onAction: () => onOpen('move') },
    { id: 'enable', label: bulk.enable, onAction: change({ isEnabled: true }) },
    { id: 'disable', label: bulk.disable, onAction: change({ isEnabled: false }) },
    { id: 'mute', label: bulk.mute, onAction: change({ isMuted: true }) },
    { id: 'unmute', label: bulk.unmute, onAction: change({ isMuted: false }) },
  ]
  return (
    <>
      {canUpdate && (
        <>
          <ActionMenu label={bulk.status} actions={statuses} isPending={isRunning} />
          <ActionMenu label={bulk.more} actions={updates} isPending={isRunning} />
        </>
      )}
      {can('COMPONENTS_DELETE') && (
        <Button emphasis="danger" onPress={() => onOpen('delete')} isDisabled={isRunning}>
          {bulk.delete}
        </Button>
      )}
    </>
  )
}

const BulkResult = ({ action }: { action: ReturnType<typeof useBulkAction> }) => {
  const { bulk: texts } = useTexts().componentScreens
  const { fill, number, plural } = useFormats()
  const { progress, variables, isPending, isSuccess, error } = action
  const total = variables?.ids.length ?? 0
  const counts = { done: number(progress), total: number(total) }
  if (isPending) return <Note state="work">{fill(texts.running, counts)}</Note>
  if (isSuccess) return <Note state="ok">{plural(texts.done, total)}</Note>
  if (error === null) return null
  return (
    <>
      {progress > 0 && <Note state="part">{fill(texts.partial, counts)}</Note>}
      <ProblemNote error={error} />
    </>
  )
}

const MoveResult = ({ failure }: { failure: MoveFailure }) => {
  const { move: texts } = useTexts().componentScreens
  return (
    <>
      <Note state="part">{texts.failed}</Note>
      <ProblemNote error={failure.error} />
    </>
  )
}

/** Choice of the group that components are moved to. */
import { useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import type { BulkAction } from './bulk-actions.ts'
import classes from './components.module.css'
import { GroupSelect } from './group-select.tsx'
import type { TreeNode } from './tree.ts'

interface MoveDialogProps {
  tree: readonly TreeNode[]
  nodes: readonly TreeNode[]
  onClose(): void
  onMove(action: BulkAction): void
}

export const MoveDialog = ({ tree, nodes, onClose, onMove }: MoveDialogProps) => {
  const { bulk: texts, remove } = useTexts().componentScreens
  const { plural } = useFormats()
  const [parentComponentId, setParent] = useState<string | null>(null)
  const ids = nodes.map(({ id }) => id)
  return (
    <Dialog title={plural(texts.moveTitle, ids.length)} isOpen onClose={onClose}>
      <GroupSelect
        label={texts.target}
        tree={tree}
        excluded={nodes}
        value={parentComponentId}
        onChange={setParent}
      />
      <div className={classes.dialogActions}>
        <Button onPress={onClose}>{remove.cancel}</Button>
        <Button emphasis="primary" onPress={() => onMove({ kind: 'move', ids, parentComponentId })}>
          {texts.moveSubmit}
        </Button>
      </div>
    </Dialog>
  )
}

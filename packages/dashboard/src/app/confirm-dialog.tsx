/** Question before an action that cannot be undone; it closes once the action has succeeded. */
import type { ReactNode } from 'react'
import { Actions } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ProblemNote } from './problem-note.tsx'

interface ConfirmDialogProps {
  title: string
  /** Consequences. */
  children?: ReactNode
  confirm: string
  action: { mutate(): void; isPending: boolean; error: unknown }
  onClose(): void
}

export const ConfirmDialog = (props: ConfirmDialogProps) => {
  const { title, children, confirm, action, onClose } = props
  const { dialogs } = useTexts()
  return (
    <Dialog title={title} isOpen onClose={onClose}>
      {children}
      <Actions>
        <Button emphasis="danger" onPress={() => action.mutate()} isDisabled={action.isPending}>
          {confirm}
        </Button>
        <Button emphasis="quiet" onPress={onClose}>
          {dialogs.cancel}
        </Button>
      </Actions>
      <ProblemNote error={action.error} />
    </Dialog>
  )
}

/** Question before the user leaves a form with changes that are not saved. */
import { useBlocker } from '@tanstack/react-router'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './components.module.css'

interface UnsavedChangesDialogProps {
  isDirty: boolean
  /** Discards the changes. */
  onLeave?(): void
}

export const UnsavedChangesDialog = ({ isDirty, onLeave }: UnsavedChangesDialogProps) => {
  const { editor } = useTexts().componentScreens
  const blocker = useBlocker({
    shouldBlockFn: () => isDirty,
    enableBeforeUnload: () => isDirty,
    withResolver: true,
  })
  if (blocker.status !== 'blocked') return null
  return (
    <Dialog title={editor.leave} isOpen onClose={blocker.reset}>
      <p>{editor.leaveHint}</p>
      <div className={classes.dialogActions}>
        <Button
          onPress={() => {
            onLeave?.()
            blocker.proceed()
          }}
        >
          {editor.leaveAnyway}
        </Button>
        <Button emphasis="primary" onPress={blocker.reset}>
          {editor.stay}
        </Button>
      </div>
    </Dialog>
  )
}

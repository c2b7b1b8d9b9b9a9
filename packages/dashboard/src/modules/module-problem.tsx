/** Modules that could not be loaded: in place of a view, of a part of one, and of a dialog. */
import { onlineManager } from '@tanstack/react-query'
import { useCallback, useEffect, useState } from 'react'
import { Button } from '../kit/button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Note } from '../kit/note.tsx'
import { Empty } from '../kit/screen.tsx'
import { useTexts } from '../texts/texts.tsx'
import { isOtherVersionInstalled } from './installed-version.ts'

interface ModuleProblemProps {
  /** Loads the module again. */
  onRetry(): unknown
}

export const ModuleProblem = ({ onRetry }: ModuleProblemProps) => {
  const { states } = useTexts()
  return (
    <Empty state="part" title={states.loadFailed} hint={states.loadFailedHint}>
      <ReloadButton onRetry={onRetry} />
    </Empty>
  )
}

export const ModuleNote = ({ onRetry }: ModuleProblemProps) => {
  const { states } = useTexts()
  return (
    <Note state="part" role="alert">
      <p>{states.loadFailed}</p>
      <p>{states.loadFailedHint}</p>
      <ReloadButton onRetry={onRetry} />
    </Note>
  )
}

interface ModuleDialogProps extends ModuleProblemProps {
  title: string
  onClose(): void
}

export const ModuleDialog = ({ title, onRetry, onClose }: ModuleDialogProps) => {
  const { navigation } = useTexts()
  return (
    <Dialog title={title} isOpen onClose={onClose} closeLabel={navigation.close}>
      <ModuleNote onRetry={onRetry} />
    </Dialog>
  )
}

/** Loads again when it is pressed, and once the browser is online. */
const ReloadButton = ({ onRetry }: ModuleProblemProps) => {
  const { actions } = useTexts()
  const [isLoading, setLoading] = useState(false)
  const reload = useCallback(async () => {
    setLoading(true)
    // The page keeps its state unless its other modules no longer exist.
    if (await isOtherVersionInstalled()) location.reload()
    else await onRetry()
    setLoading(false)
  }, [onRetry])
  useEffect(
    () =>
      onlineManager.subscribe((isOnline) => {
        if (isOnline) void reload()
      }),
    [reload],
  )
  return (
    <Button onPress={reload} isDisabled={isLoading}>
      {actions.reload}
    </Button>
  )
}

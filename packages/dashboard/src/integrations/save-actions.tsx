/** Result and buttons of a form over stored settings. */
import { Actions } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'

interface SaveActionsProps {
  save: { isPending: boolean; isSuccess: boolean }
  /** Default: the name of saving in general. */
  label?: string
  isReadOnly: boolean
  isDirty: boolean
  hasConflict: boolean
  onDiscard(): void
}

export const SaveActions = (props: SaveActionsProps) => {
  const { save, label, isReadOnly, isDirty, hasConflict, onDiscard } = props
  const { integrations: texts, actions } = useTexts()
  if (isReadOnly) return null
  return (
    <>
      <Actions>
        <Button
          type="submit"
          emphasis="primary"
          isDisabled={!isDirty || hasConflict || save.isPending}
        >
          {save.isPending ? actions.saving : (label ?? texts.save)}
        </Button>
        {isDirty && (
          <Button emphasis="quiet" onPress={onDiscard}>
            {texts.discard}
          </Button>
        )}
      </Actions>
      {save.isSuccess && !isDirty && <Note state="ok">{texts.saved}</Note>}
    </>
  )
}

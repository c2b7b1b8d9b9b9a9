/** Removal of a row of the settings. */
import { Button } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'

interface RemoveButtonProps {
  /** Name of the row. */
  name: string
  onPress(): void
}

export const RemoveButton = ({ name, onPress }: RemoveButtonProps) => {
  const { actions } = useTexts()
  const { labelled } = useFormats()
  return (
    <Button emphasis="quiet" onPress={onPress} aria-label={labelled(actions.remove, name)}>
      <Icon name="cross" />
    </Button>
  )
}

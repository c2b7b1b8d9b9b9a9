/** Button of the frame that opens the composer; on a phone within reach of the thumb. */
import { Button } from 'react-aria-components'
import { buttonClass } from '../kit/button.tsx'
import { Icon } from '../kit/icon.tsx'
import { useTexts } from '../texts/texts.tsx'
import { useComposer } from './composer-context.ts'
import classes from './new-incident-button.module.css'

export const NewIncidentButton = () => {
  const { composer: texts } = useTexts()
  const composer = useComposer()
  if (composer === null) return null
  return (
    <Button className={`${buttonClass('primary')} ${classes.button}`} onPress={composer.open}>
      <Icon name="plus" />
      {texts.newIncident}
    </Button>
  )
}

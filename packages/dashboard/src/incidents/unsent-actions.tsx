/** Notice of stored input next to its form, and the action that discards it. */
import { Button } from '../kit/button.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './incidents.module.css'

interface UnsentActionsProps {
  /** Id of the notice, for the description of the button that sends. */
  noticeId?: string
  onDiscard(): void
}

export const UnsentActions = ({ noticeId, onDiscard }: UnsentActionsProps) => {
  const { form: texts } = useTexts().incident
  return (
    <>
      <Button emphasis="quiet" onPress={onDiscard}>
        {texts.discard}
      </Button>
      <p id={noticeId} className={classes.fact}>
        {texts.stored}
      </p>
    </>
  )
}

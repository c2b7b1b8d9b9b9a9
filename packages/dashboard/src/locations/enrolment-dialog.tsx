/** Enrolment token of a private location with its use in a shell; displayed once. */
import { Actions, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Note } from '../kit/note.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'

export interface Enrolment {
  enrolmentToken: string
  enrolmentExpiresAt: string
}

interface EnrolmentDialogProps {
  enrolment: Enrolment
  onClose(): void
}

export const EnrolmentDialog = ({ enrolment, onClose }: EnrolmentDialogProps) => {
  const { locations: texts } = useTexts()
  const { fill, time } = useFormats()
  const { enrolmentToken, enrolmentExpiresAt } = enrolment
  // The token is lost with the dialog, so only its button closes it.
  return (
    <Dialog title={texts.token} isOpen size="large">
      <Note state="part">{texts.once}</Note>
      <CopyField label={texts.token} value={enrolmentToken} />
      <Hint>{fill(texts.tokenHint, { time: time(enrolmentExpiresAt) })}</Hint>
      <CopyField label={texts.command} value={agentCommandOf(window.location.origin)} />
      <Hint>{texts.commandHint}</Hint>
      <Actions>
        <Button emphasis="primary" onPress={onClose}>
          {texts.done}
        </Button>
      </Actions>
    </Dialog>
  )
}

const agentCommandOf = (serviceUrl: string): string =>
  `statusctl agent --url ${serviceUrl} --token-file token --allow 10.0.0.0/8`

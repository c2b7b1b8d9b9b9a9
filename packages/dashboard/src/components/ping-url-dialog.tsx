/** Ping URL of a heartbeat with its use in a shell; displayed once, after its creation. */
import { Actions } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type PingExample, pingExamples } from './ping-examples.ts'

export interface PingUrlDialogProps {
  pingUrl: string
  onClose(): void
}

export const PingUrlDialog = ({ pingUrl, onClose }: PingUrlDialogProps) => {
  const { heartbeats: texts } = useTexts()
  const examples = Object.keys(pingExamples) as PingExample[]
  // The URL is lost with the dialog, so only its button closes it.
  return (
    <Dialog title={texts.url} isOpen size="large">
      <Note state="part">{texts.once}</Note>
      <CopyField label={texts.url} value={pingUrl} />
      {examples.map((example) => (
        <CopyField
          key={example}
          label={texts.examples[example]}
          value={pingExamples[example](pingUrl)}
        />
      ))}
      <Actions>
        <Button emphasis="primary" onPress={onClose}>
          {texts.done}
        </Button>
      </Actions>
    </Dialog>
  )
}

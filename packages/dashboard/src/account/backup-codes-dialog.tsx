/** Backup codes, which are shown once. */
import { Actions } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { CopyButton } from '../kit/copy-button.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import classes from './account.module.css'
import { saveText } from './save-text.ts'

interface BackupCodesDialogProps {
  codes: readonly string[]
  onClose(): void
}

/** Only its button closes the dialog, because the codes are lost with it. */
export const BackupCodesDialog = ({ codes, onClose }: BackupCodesDialogProps) => {
  const { secondFactor: texts } = useTexts().ownAccount
  const text = codes.join('\n')
  return (
    <Dialog title={texts.codes} isOpen>
      <Note state="part">{texts.codesHint}</Note>
      <ul className={classes.codes} dir="ltr">
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <Actions>
        <CopyButton text={text} />
        <Button onPress={() => saveText('backup-codes.txt', text)}>{texts.download}</Button>
        <Button emphasis="primary" onPress={onClose}>
          {texts.done}
        </Button>
      </Actions>
    </Dialog>
  )
}

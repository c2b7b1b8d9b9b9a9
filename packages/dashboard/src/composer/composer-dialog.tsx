/** Dialog of the composer: the current draft, or a new one. */
import { useState } from 'react'
import { Dialog } from '../kit/dialog.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { Composer } from './composer-context.ts'
import { ComposerForm } from './composer-form.tsx'
import { type ComposerDraft, newDraft } from './draft.ts'

export interface ComposerDialogProps {
  composer: Composer
  /** Whether the focus begins in the message, because the line was entered before. */
  startsInMessage: boolean
}

export const ComposerDialog = ({ composer, startsInMessage }: ComposerDialogProps) => {
  const { composer: texts } = useTexts()
  return (
    <Dialog
      title={texts.newIncident}
      size="wide"
      isOpen={composer.isOpen}
      onClose={composer.close}
      closeLabel={texts.close}
    >
      <CurrentDraft composer={composer} startsInMessage={startsInMessage} />
    </Dialog>
  )
}

const CurrentDraft = ({ composer, startsInMessage }: ComposerDialogProps) => {
  const { outbox, close } = composer
  const [draft, setDraft] = useState(() => outbox.state().current ?? newDraft(Date.now()))
  const change = (changes: Partial<ComposerDraft>) => {
    const changed = { ...draft, ...changes }
    setDraft(changed)
    outbox.save(changed)
  }
  return (
    <ComposerForm
      draft={draft}
      startsInMessage={startsInMessage}
      onChange={change}
      onPublish={(body) => {
        outbox.publish(draft, body)
        close()
      }}
    />
  )
}

/** Dialog that replaces the secret of a webhook; the new one is generated here and shown once. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Button } from '../kit/button.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { Dialog } from '../kit/dialog.tsx'
import { Note } from '../kit/note.tsx'
import { useTexts } from '../texts/texts.tsx'
import type { SubscriberData } from './filters.ts'
import { newSecret } from './new-secret.ts'
import classes from './subscribers.module.css'

interface SecretDialogProps {
  subscriber: SubscriberData
  onClose(): void
}

export const SecretDialog = ({ subscriber: { id }, onClose }: SecretDialogProps) => {
  const { secret: texts } = useTexts().subscribers
  const { dialogs } = useTexts()
  const queryClient = useQueryClient()
  const replace = useMutation({
    mutationFn: async () => {
      const webhookSecret = newSecret()
      const params = { path: { id } }
      await api.PATCH('/api/v1/subscribers/{id}', { params, body: { webhookSecret } })
      return webhookSecret
    },
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['subscribers'] }),
  })
  if (replace.data === undefined) {
    return (
      <Dialog title={texts.title} isOpen onClose={onClose}>
        <p>{texts.hint}</p>
        <div className={classes.actions}>
          <Button
            emphasis="primary"
            onPress={() => replace.mutate()}
            isDisabled={replace.isPending}
          >
            {texts.replace}
          </Button>
          <Button onPress={onClose}>{dialogs.cancel}</Button>
        </div>
        <ProblemNote error={replace.error} />
      </Dialog>
    )
  }
  return (
    <Dialog title={texts.title} isOpen>
      <Note state="ok">{texts.once}</Note>
      <CopyField label={texts.value} value={replace.data} />
      <div className={classes.actions}>
        <Button emphasis="primary" onPress={onClose}>
          {texts.close}
        </Button>
      </div>
    </Dialog>
  )
}

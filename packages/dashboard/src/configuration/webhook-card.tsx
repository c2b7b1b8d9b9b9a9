/** Webhook of Git sync: its address, and its secret right after its creation. */
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { api } from '../api/client.ts'
import { ProblemNote } from '../app/problem-note.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { type GitSyncData, gitSyncQuery } from './queries.ts'

interface WebhookCardProps {
  settings: GitSyncData
  /** Null unless this view has created it. */
  secret: string | null
  onSecret(secret: string | null): void
}

export const WebhookCard = ({ settings, secret, onSecret }: WebhookCardProps) => {
  const { gitSync: texts } = useTexts()
  const { can } = useSession()
  const queryClient = useQueryClient()
  const rotate = useMutation({
    mutationFn: async () => (await api.POST('/api/v1/config/git-sync/rotate-secret')).data,
    onSuccess({ webhookSecret }) {
      onSecret(webhookSecret ?? null)
      return queryClient.invalidateQueries(gitSyncQuery)
    },
  })
  return (
    <Card title={texts.webhook}>
      <CardBody>
        <Hint>{texts.webhookHint}</Hint>
        <CopyField label={texts.webhookUrl} value={settings.webhookUrl} />
        {secret !== null && (
          <Note state="ok">
            <CopyField label={texts.webhookSecret} value={secret} />
            <p>{texts.webhookSecretHint}</p>
          </Note>
        )}
        {can('CONFIG_UPDATE') && (
          <>
            <Actions>
              <Button onPress={() => rotate.mutate()} isDisabled={rotate.isPending}>
                {texts.rotate}
              </Button>
            </Actions>
            <ProblemNote error={rotate.error} />
            <Hint>{texts.rotateHint}</Hint>
          </>
        )}
      </CardBody>
    </Card>
  )
}

/** Alert intake of an integration: webhook, templates and routes. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Actions, CardBody, Hint } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { CopyField } from '../kit/copy-field.tsx'
import { Note } from '../kit/note.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { AlertIntakeForm } from './alert-intake-form.tsx'
import { type AlertValues, alertBodyOf, newAlertValues } from './alert-values.ts'
import { type AlertIntakeData, alertIntakeQuery } from './queries.ts'

export const AlertIntakeCard = ({ integrationId }: { integrationId: string }) => {
  const { alerts: texts } = useTexts().integrations
  const { can } = useSession()
  const { data, error } = useQuery(alertIntakeQuery(integrationId))
  const [token, setToken] = useState<string | null>(null)
  const write = useWriteIntake(integrationId, setToken)
  return (
    <Card title={texts.title}>
      <CardBody>
        <Hint>{texts.hint}</Hint>
        <ProblemNote error={error} />
        {token !== null && (
          <Note state="ok">
            <CopyField label={texts.token} value={token} />
            <p>{texts.tokenHint}</p>
          </Note>
        )}
        {data === null && can('INTEGRATIONS_UPDATE') && (
          <Actions>
            <Button onPress={() => write.mutate(newAlertValues)} isDisabled={write.isPending}>
              {texts.create}
            </Button>
          </Actions>
        )}
        {data === null && <ProblemNote error={write.error} />}
        {data !== null && data !== undefined && (
          <Intake intake={data} write={write.mutateAsync} onToken={setToken} />
        )}
      </CardBody>
    </Card>
  )
}

const useWriteIntake = (id: string, onToken: (token: string) => void) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async (values: AlertValues) => {
      const options = { params: { path: { id } }, body: alertBodyOf(values) }
      return (await api.PUT('/api/v1/integrations/{id}/alert-intake', options)).data
    },
    async onSuccess({ token }) {
      if (token !== undefined) onToken(token)
      await queryClient.invalidateQueries({ queryKey: ['integrations', id] })
    },
  })
}

interface IntakeProps {
  intake: AlertIntakeData
  write(values: AlertValues): Promise<unknown>
  onToken(token: string | null): void
}

const Intake = ({ intake, write, onToken }: IntakeProps) => {
  const { alerts: texts } = useTexts().integrations
  const { can } = useSession()
  return (
    <>
      <CopyField label={texts.address} value={intake.webhookUrl} />
      <AlertIntakeForm intake={intake} isReadOnly={!can('INTEGRATIONS_UPDATE')} write={write} />
      {can('INTEGRATIONS_UPDATE') && <IntakeActions id={intake.integrationId} onToken={onToken} />}
    </>
  )
}

const IntakeActions = ({ id, onToken }: { id: string; onToken: IntakeProps['onToken'] }) => {
  const { alerts: texts } = useTexts().integrations
  const { can } = useSession()
  const queryClient = useQueryClient()
  const [isDeleting, setIsDeleting] = useState(false)
  const params = { path: { id } }
  const rotate = useMutation({
    mutationFn: async () =>
      (await api.POST('/api/v1/integrations/{id}/alert-intake/rotate-token', { params })).data,
    onSuccess: ({ token }) => onToken(token ?? null),
  })
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/integrations/{id}/alert-intake', { params }),
    async onSuccess() {
      onToken(null)
      await queryClient.invalidateQueries({ queryKey: ['integrations', id] })
    },
  })
  return (
    <>
      <Actions>
        <Button onPress={() => rotate.mutate()} isDisabled={rotate.isPending}>
          {texts.rotate}
        </Button>
        {can('INTEGRATIONS_DELETE') && (
          <Button emphasis="danger" onPress={() => setIsDeleting(true)}>
            {texts.delete}
          </Button>
        )}
      </Actions>
      <Hint>{texts.rotateHint}</Hint>
      <ProblemNote error={rotate.error} />
      {isDeleting && (
        <ConfirmDialog
          title={texts.deleteTitle}
          confirm={texts.delete}
          action={remove}
          onClose={() => setIsDeleting(false)}
        >
          <p>{texts.deleteHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

/** One integration: connection test, settings, metric queries and alert intake. */
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { ConfirmDialog } from '../app/confirm-dialog.tsx'
import { NoPermission, Problem } from '../app/problem.tsx'
import { ProblemNote } from '../app/problem-note.tsx'
import { Actions, CardBody } from '../kit/arrangement.tsx'
import { Button } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { AlertIntakeCard } from './alert-intake-card.tsx'
import { IntegrationForm } from './integration-form.tsx'
import { MetricQueriesCard } from './metric-queries-card.tsx'
import {
  configOf,
  type IntegrationData,
  type IntegrationValues,
  platformName,
  type SecretValues,
} from './platforms.ts'
import { integrationQuery } from './queries.ts'

export const IntegrationScreen = () => {
  const { id } = useParams({ from: '/integrations/$id' })
  const { integrations: texts } = useTexts()
  const { can } = useSession()
  const { data, error, refetch } = useQuery(integrationQuery(id))
  if (data !== undefined) return <Integration key={id} integration={data} />
  const waiting = error === null ? <Skeleton /> : <Problem error={error} onRetry={refetch} />
  return (
    <Screen title={texts.title}>{can('INTEGRATIONS_VIEW') ? waiting : <NoPermission />}</Screen>
  )
}

const Integration = ({ integration }: { integration: IntegrationData }) => {
  const { integrations: texts } = useTexts()
  const { can } = useSession()
  const { id, name, type, managedByConfig } = integration
  const update = useUpdate(integration)
  const test = useConnectionTest(id)
  const actions = (
    <Actions>
      {can('INTEGRATIONS_UPDATE') && (
        <Button onPress={() => test.mutate()} isDisabled={test.isPending}>
          {test.isPending ? texts.testing : texts.test}
        </Button>
      )}
      {can('INTEGRATIONS_DELETE') && <DeleteIntegration integration={integration} />}
    </Actions>
  )
  return (
    <Screen title={name} intro={platformName(type)} aside={actions}>
      <p>
        <Link to="/integrations">{texts.all}</Link>
      </p>
      {managedByConfig && <Note state="slow">{texts.managed}</Note>}
      <TestResult test={test} />
      <MetricQueriesCard integrationId={id} />
      <AlertIntakeCard integrationId={id} />
      <Card title={texts.settingsTitle}>
        <CardBody>
          <IntegrationForm
            type={type}
            integration={integration}
            isReadOnly={!can('INTEGRATIONS_UPDATE')}
            write={update}
          />
        </CardBody>
      </Card>
    </Screen>
  )
}

const useUpdate = ({ id, type }: IntegrationData) => {
  const queryClient = useQueryClient()
  return async (values: IntegrationValues, secrets: SecretValues) => {
    const { name, isEnabled } = values
    const body = { name, isEnabled, config: configOf(type, values, secrets) } as never
    const params = { path: { id } }
    await api.PATCH('/api/v1/integrations/{id}', { params, body })
    await queryClient.invalidateQueries({ queryKey: ['integrations'] })
  }
}

const useConnectionTest = (id: string) => {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: async () =>
      (await api.POST('/api/v1/integrations/{id}/test', { params: { path: { id } } })).data,
    onSettled: () => queryClient.invalidateQueries({ queryKey: ['integrations'] }),
  })
}

const TestResult = ({ test }: { test: ReturnType<typeof useConnectionTest> }) => {
  const { integrations: texts } = useTexts()
  const { fill, number } = useFormats()
  return (
    <>
      {test.data !== undefined && (
        <Note state={test.data.success ? 'ok' : 'down'}>
          {fill(texts.testResult, {
            result: texts.testMessages[test.data.message],
            time: number(test.data.latencyMs),
          })}
        </Note>
      )}
      <ProblemNote error={test.error} />
    </>
  )
}

const DeleteIntegration = ({ integration: { id, name } }: { integration: IntegrationData }) => {
  const { integrations: texts } = useTexts()
  const { fill } = useFormats()
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  const [isOpen, setIsOpen] = useState(false)
  const remove = useMutation({
    mutationFn: () => api.DELETE('/api/v1/integrations/{id}', { params: { path: { id } } }),
    async onSuccess() {
      await navigate({ to: '/integrations' })
      queryClient.removeQueries({ queryKey: ['integrations', id] })
      await queryClient.invalidateQueries({ queryKey: ['integrations'] })
    },
  })
  return (
    <>
      <Button emphasis="danger" onPress={() => setIsOpen(true)}>
        {texts.delete}
      </Button>
      {isOpen && (
        <ConfirmDialog
          title={fill(texts.deleteTitle, { name })}
          confirm={texts.delete}
          action={remove}
          onClose={() => setIsOpen(false)}
        >
          <p>{texts.deleteHint}</p>
        </ConfirmDialog>
      )}
    </>
  )
}

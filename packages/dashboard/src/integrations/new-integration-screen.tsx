/** New integration: platform and settings. */
import { useQueryClient } from '@tanstack/react-query'
import { Link, useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { api } from '../api/client.ts'
import { NoPermission } from '../app/problem.tsx'
import { CardBody } from '../kit/arrangement.tsx'
import { Card } from '../kit/card.tsx'
import { Screen } from '../kit/screen.tsx'
import { Segmented } from '../kit/segmented.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { IntegrationForm } from './integration-form.tsx'
import {
  configOf,
  type IntegrationValues,
  type PlatformName,
  platformName,
  platforms,
  type SecretValues,
} from './platforms.ts'

export const NewIntegrationScreen = () => {
  const { integrations: texts } = useTexts()
  const { can } = useSession()
  const [type, setType] = useState<PlatformName>('prometheus')
  const create = useCreate(type)
  return (
    <Screen title={texts.add}>
      <p>
        <Link to="/integrations">{texts.all}</Link>
      </p>
      {can('INTEGRATIONS_CREATE') ? (
        <Card title={texts.settingsTitle}>
          <CardBody>
            <div>
              <Segmented<PlatformName>
                label={texts.platform}
                options={platforms.map((value) => ({ value, label: platformName(value) }))}
                value={type}
                onChange={setType}
              />
            </div>
            <IntegrationForm
              key={type}
              type={type}
              integration={null}
              isReadOnly={false}
              write={create}
            />
          </CardBody>
        </Card>
      ) : (
        <NoPermission />
      )}
    </Screen>
  )
}

const useCreate = (type: PlatformName) => {
  const queryClient = useQueryClient()
  const navigate = useNavigate()
  return async (values: IntegrationValues, secrets: SecretValues) => {
    const { name, isEnabled } = values
    const config = configOf(type, values, secrets)
    const body = { type, name, isEnabled, config } as never
    const { data } = await api.POST('/api/v1/integrations', { body })
    await queryClient.invalidateQueries({ queryKey: ['integrations'] })
    await navigate({ to: '/integrations/$id', params: { id: data.id } })
  }
}

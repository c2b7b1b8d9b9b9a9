/** Integrations of the organization. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { NoPermission, Problem } from '../app/problem.tsx'
import { integrationsQuery } from '../components/queries.ts'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { type IntegrationData, platformName } from './platforms.ts'

export const IntegrationsScreen = () => {
  const { integrations: texts } = useTexts()
  const { can } = useSession()
  const add = can('INTEGRATIONS_CREATE') && (
    <Link to="/integrations/new" className={buttonClass('primary')}>
      {texts.add}
    </Link>
  )
  return (
    <Screen title={texts.title} intro={texts.intro} aside={add}>
      {can('INTEGRATIONS_VIEW') ? <IntegrationList /> : <NoPermission />}
    </Screen>
  )
}

const IntegrationList = () => {
  const { integrations: texts } = useTexts()
  const { number } = useFormats()
  const { data, error, refetch } = useQuery(integrationsQuery)
  if (data === undefined) {
    return error === null ? <Skeleton /> : <Problem error={error} onRetry={refetch} />
  }
  if (data.data.length === 0) return <Empty title={texts.empty} hint={texts.emptyHint} />
  return (
    <Card title={texts.title} count={number(data.meta.total)}>
      <ul>
        {data.data.map((integration) => (
          <IntegrationRow key={integration.id} integration={integration} />
        ))}
      </ul>
    </Card>
  )
}

const stateOf = ({ isEnabled, lastTestSuccess }: IntegrationData): State => {
  if (!isEnabled || lastTestSuccess === null) return 'none'
  return lastTestSuccess ? 'ok' : 'down'
}

const IntegrationRow = ({ integration }: { integration: IntegrationData }) => {
  const { integrations: texts } = useTexts()
  const { fill, time } = useFormats()
  const { id, name, type, isEnabled, managedByConfig, lastTestAt, lastTestSuccess } = integration
  const tested = lastTestSuccess === true ? texts.testedAt : texts.testFailedAt
  return (
    <ListRow
      state={stateOf(integration)}
      title={
        <Link to="/integrations/$id" params={{ id }}>
          {name}
        </Link>
      }
      facts={[
        platformName(type),
        isEnabled ? null : texts.disabled,
        managedByConfig ? texts.managedFact : null,
        lastTestAt === null ? texts.neverTested : fill(tested, { time: time(lastTestAt) }),
      ]}
    />
  )
}

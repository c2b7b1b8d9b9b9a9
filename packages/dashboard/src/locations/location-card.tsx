/** One private location: its status, its agents, and the actions that the role permits. */
import type { Schemas } from '@status-page/client'
import { Card } from '../kit/card.tsx'
import type { State } from '../kit/icon.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { useSession } from '../session/session.tsx'
import { useFormats, useTexts } from '../texts/texts.tsx'
import { LocationMenu } from './location-menu.tsx'
import { RevokeAgentButton } from './revoke-agent-button.tsx'

type LocationData = Schemas['PrivateLocation']
type AgentData = LocationData['agents'][number]

interface LocationCardProps {
  location: LocationData
}

export const LocationCard = ({ location }: LocationCardProps) => (
  <Card title={location.name} aside={<LocationMenu location={location} />}>
    <ul>
      <StatusRow location={location} />
      {location.agents.map((agent) => (
        <AgentRow key={agent.id} agent={agent} locationId={location.id} />
      ))}
    </ul>
  </Card>
)

/** A stale location makes no outage. */
const states: Record<LocationData['status'], State> = {
  waiting: 'none',
  active: 'ok',
  stale: 'part',
}

const StatusRow = ({ location }: LocationCardProps) => {
  const { locations: texts } = useTexts()
  const { fill, time } = useFormats()
  const { status, description, lastContactAt, enrolmentExpiresAt } = location
  const isTokenValid = Date.parse(enrolmentExpiresAt) > Date.now()
  return (
    <ListRow
      state={states[status]}
      title={texts.statuses[status]}
      facts={[
        description,
        location.location,
        lastContactAt && fill(texts.lastContact, { time: time(lastContactAt) }),
        fill(isTokenValid ? texts.tokenUntil : texts.tokenExpired, {
          time: time(enrolmentExpiresAt),
        }),
      ]}
    />
  )
}

const AgentRow = ({ agent, locationId }: { agent: AgentData; locationId: string }) => {
  const { locations: texts } = useTexts()
  const { fill, number, time } = useFormats()
  const { can } = useSession()
  const { name, version, canPing, lagSeconds, lastContactAt, isStale } = agent
  return (
    <ListRow
      state={isStale ? 'part' : 'ok'}
      title={fill(texts.agent, { name })}
      facts={[
        isStale ? texts.statuses.stale : null,
        fill(texts.version, { version }),
        fill(texts.lag, { seconds: number(lagSeconds) }),
        fill(texts.lastContact, { time: time(lastContactAt) }),
        canPing ? null : texts.noPing,
      ]}
      actions={
        can('ORGANIZATION_DELETE') && <RevokeAgentButton agent={agent} locationId={locationId} />
      }
    />
  )
}

/** List of notification channels. */
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { NoPermission, Problem } from '../app/problem.tsx'
import { buttonClass } from '../kit/button.tsx'
import { Card } from '../kit/card.tsx'
import { ListRow } from '../kit/list-row.tsx'
import { Empty, Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { type Texts, useFormats, useTexts } from '../texts/texts.tsx'
import { channelState } from './channel-state.ts'
import { type ChannelData, typeName } from './draft.ts'
import { channelsQuery } from './queries.ts'

export const ChannelsScreen = () => {
  const { channels: texts } = useTexts()
  const { can } = useSession()
  const add = (
    <Link to="/channels/new" className={buttonClass('primary')}>
      {texts.add}
    </Link>
  )
  return (
    <Screen
      title={texts.title}
      intro={texts.intro}
      aside={can('NOTIFICATIONS_CREATE') ? add : undefined}
    >
      {can('NOTIFICATIONS_VIEW') ? <ChannelList /> : <NoPermission />}
    </Screen>
  )
}

const ChannelList = () => {
  const { channels: texts } = useTexts()
  const { plural } = useFormats()
  const { data, error, refetch } = useQuery(channelsQuery)
  if (data === undefined) {
    return error === null ? <Skeleton rows={5} /> : <Problem error={error} onRetry={refetch} />
  }
  if (data.data.length === 0) return <Empty title={texts.empty} hint={texts.emptyHint} />
  return (
    <Card title={plural(texts.found, data.meta.total)}>
      <ul>
        {data.data.map((channel) => (
          <ChannelRow key={channel.id} channel={channel} />
        ))}
      </ul>
    </Card>
  )
}

export const channelStatus = ({ isEnabled, status }: ChannelData, { channels }: Texts): string =>
  isEnabled ? channels.statuses[status] : channels.off

const ChannelRow = ({ channel }: { channel: ChannelData }) => {
  const texts = useTexts()
  const { channels, subscribers } = texts
  const { plural } = useFormats()
  const { id, name, type, events, componentIds, managedByConfig } = channel
  return (
    <ListRow
      state={channelState(channel)}
      title={
        <Link to="/channels/$id" params={{ id }}>
          {name}
        </Link>
      }
      facts={[
        typeName(type, texts),
        channelStatus(channel, texts),
        events.length === 0 ? null : plural(subscribers.eventCount, events.length),
        componentIds.length === 0 ? null : plural(subscribers.scope, componentIds.length),
        managedByConfig ? channels.managed : null,
        useLastDelivery(channel),
      ]}
    />
  )
}

export const useLastDelivery = ({ lastDeliveryAt, lastDeliveryStatus }: ChannelData): string => {
  const { channels, deliveries } = useTexts()
  const { fill, time } = useFormats()
  if (lastDeliveryAt === null) return channels.neverUsed
  const outcome = deliveries.outcomes[lastDeliveryStatus ?? 'unknown']
  return fill(channels.lastDelivery, { time: time(lastDeliveryAt), outcome })
}

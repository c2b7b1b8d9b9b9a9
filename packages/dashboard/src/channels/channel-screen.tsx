/** Notification channel: its state, its settings, and a test message. */
import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { Problem } from '../app/problem.tsx'
import { StateMark } from '../kit/icon.tsx'
import { Note } from '../kit/note.tsx'
import { Screen, Skeleton } from '../kit/screen.tsx'
import { useSession } from '../session/session.tsx'
import { useTexts } from '../texts/texts.tsx'
import { ChannelActions } from './channel-actions.tsx'
import { ChannelForm } from './channel-form.tsx'
import { channelState } from './channel-state.ts'
import classes from './channels.module.css'
import { channelStatus, useLastDelivery } from './channels-screen.tsx'
import { type ChannelData, typeName } from './draft.ts'
import { channelQuery } from './queries.ts'
import { TestCard } from './test-card.tsx'

const route = getRouteApi('/channels/$id')

export const ChannelScreen = () => {
  const { channels: texts } = useTexts()
  const { id } = route.useParams()
  const { data, error, refetch } = useQuery(channelQuery(id))
  if (data === undefined) {
    return (
      <Screen title={texts.title}>
        {error === null ? <Skeleton rows={8} /> : <Problem error={error} onRetry={refetch} />}
      </Screen>
    )
  }
  return <ChannelView key={id} channel={data} />
}

const ChannelView = ({ channel }: { channel: ChannelData }) => {
  const { channels: texts } = useTexts()
  const { can } = useSession()
  return (
    <Screen title={channel.name} aside={<ChannelActions channel={channel} />}>
      <StateLine channel={channel} />
      {channel.managedByConfig && <Note state="slow">{texts.managedHint}</Note>}
      <div className={classes.columns}>
        <ChannelForm channel={channel} />
        {can('NOTIFICATIONS_UPDATE') && (
          <div className={classes.side}>
            <TestCard channel={channel} />
          </div>
        )}
      </div>
    </Screen>
  )
}

const StateLine = ({ channel }: { channel: ChannelData }) => {
  const texts = useTexts()
  return (
    <p className={classes.state}>
      <StateMark state={channelState(channel)} />
      <strong>{channelStatus(channel, texts)}</strong>
      <span className={classes.quiet}>{typeName(channel.type, texts)}</span>
      <span className={classes.quiet}>{useLastDelivery(channel)}</span>
      <Link to="/channels">{texts.channels.back}</Link>
    </p>
  )
}

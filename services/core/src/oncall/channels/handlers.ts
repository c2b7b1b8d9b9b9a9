/** Keeps the copy of the notification channels by what the notifier states of them. */
import { eventHandler } from '@status-page/bus'
import { channelCreated, channelDeleted, channelUpdated } from '@status-page/contracts'
import { saveChannel } from './store.ts'

export const channelReaction = eventHandler({
  consumer: 'core-channels',
  on: [channelCreated, channelUpdated, channelDeleted],
  handle: async (scope, { kind, aggregate: { id, version } }) => {
    const isRemoved = kind === 'notification-channel.deleted'
    await saveChannel(scope, { id, version, isRemoved })
    return { result: undefined, events: [], audit: [] }
  },
})

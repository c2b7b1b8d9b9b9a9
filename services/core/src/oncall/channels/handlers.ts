/** Event handler that maintains core's copy of the notifier's channels. */
import { eventHandler } from '@status-page/bus'
import { channelCreated, channelDeleted, channelUpdated } from '@status-page/contracts'
import { saveChannel } from './store.ts'

export const channelHandler = eventHandler({
  consumer: 'core-channels',
  on: [channelCreated, channelUpdated, channelDeleted],
  handle: async (scope, { kind, aggregate: { id, version } }) => {
    const isRemoved = kind === 'notification-channel.deleted'
    await saveChannel(scope, { id, version, isRemoved })
  },
})

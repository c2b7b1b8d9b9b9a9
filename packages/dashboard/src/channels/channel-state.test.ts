/** Marks of channels in lists. */
import t from 'tap'
import { channelState } from './channel-state.ts'

const active = { isEnabled: true, status: 'active', lastDeliveryStatus: 'delivered' } as const

t.test('a channel is marked as working only while its last delivery succeeded', async (t) => {
  t.equal(channelState(active), 'ok')
  t.equal(channelState({ ...active, lastDeliveryStatus: null }), 'ok', 'it was never used')
  t.equal(channelState({ ...active, lastDeliveryStatus: 'rejected' }), 'part')
  t.equal(channelState({ ...active, lastDeliveryStatus: 'unknown' }), 'part')
  t.equal(channelState({ ...active, status: 'paused' }), 'part')
  t.equal(channelState({ ...active, status: 'disabled' }), 'down')
  t.equal(channelState({ ...active, isEnabled: false, lastDeliveryStatus: 'rejected' }), 'none')
})

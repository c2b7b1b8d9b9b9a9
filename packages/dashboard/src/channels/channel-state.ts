/** State of a channel as a mark. Pure. */
import type { State } from '../kit/icon.tsx'
import type { ChannelData } from './draft.ts'

type ChannelFacts = Pick<ChannelData, 'isEnabled' | 'status' | 'lastDeliveryStatus'>

/** The service pauses a channel after several failures; the first one is visible before. */
export const channelState = ({ isEnabled, status, lastDeliveryStatus }: ChannelFacts): State => {
  if (!isEnabled) return 'none'
  if (status === 'disabled') return 'down'
  const isDelivered = lastDeliveryStatus === null || lastDeliveryStatus === 'delivered'
  return status === 'active' && isDelivered ? 'ok' : 'part'
}

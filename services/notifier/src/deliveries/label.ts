/** Label of a destination in the log: recognizable without disclosing the address. */
import { ENDPOINT_PLACEHOLDER } from '../channels/channel.ts'
import { channels } from '../channels/index.ts'
import type { DestinationType } from '../tables.ts'

const DELETED = '(deleted)'

export interface LabelledDestination {
  destination: { type: DestinationType; address: string }
  /** Name of the channel that owns the destination; null for other destinations. */
  channelName: string | null
}

/**
 * Returns the channel's name instead of the URL of its endpoint, because even the host may be a
 * secret.
 */
export const destinationLabel = ({
  destination: { type, address },
  channelName,
}: LabelledDestination): string => {
  if (address === ENDPOINT_PLACEHOLDER) return channelName ?? DELETED
  return address === '' ? DELETED : channels[type].labelOf(address)
}

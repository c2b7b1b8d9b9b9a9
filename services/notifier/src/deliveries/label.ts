/** How a destination is named in the log: recognisable, without giving the address away. */
import { ENDPOINT } from '../notification-channels/destinations.ts'
import type { DestinationType } from '../tables.ts'

const SHOWN_DIGITS = 4
const DELETED = '(deleted)'

const originOf = (address: string): string =>
  URL.canParse(address) ? `${new URL(address).origin}/***` : ''

const labels: Record<DestinationType, (address: string) => string> = {
  email: (address) => address.replace(/^(.)[^@]*/, '$1***'),
  sms: (address) => `***${address.slice(-SHOWN_DIGITS)}`,
  slack: originOf,
  discord: originOf,
  teams: originOf,
  webhook: originOf,
}

export interface Labelled {
  destination: { type: DestinationType; address: string }
  /** Of a destination that is a channel's. */
  channelName: string | null
}

/** The endpoint of a channel goes by the channel's name: even its host may be a secret. */
export const labelOf = ({ destination: { type, address }, channelName }: Labelled): string => {
  if (address === ENDPOINT) return channelName ?? DELETED
  return address === '' ? DELETED : labels[type](address)
}

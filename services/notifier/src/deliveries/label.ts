/** How a destination is named in the log: recognisable, without giving the address away. */
import type { DestinationType } from '../tables.ts'

const SHOWN_DIGITS = 4

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

export const labelOf = ({ type, address }: { type: DestinationType; address: string }): string =>
  address === '' ? '(deleted)' : labels[type](address)

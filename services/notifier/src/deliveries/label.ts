/** How a destination is named in the log: recognisable, without giving the address away. */
import type { DestinationType } from '../tables.ts'

const SHOWN_DIGITS = 4

const labels: Record<DestinationType, (address: string) => string> = {
  email: (address) => address.replace(/^(.)[^@]*/, '$1***'),
  sms: (address) => `***${address.slice(-SHOWN_DIGITS)}`,
  webhook: (address) => (URL.canParse(address) ? `${new URL(address).origin}/***` : ''),
}

export const labelOf = ({ type, address }: { type: DestinationType; address: string }): string =>
  address === '' ? '(deleted)' : labels[type](address)

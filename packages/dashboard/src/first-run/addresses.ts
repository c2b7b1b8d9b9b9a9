/** Addresses pasted by the user, one per line. */

export interface PastedAddress {
  url: string
  /** Proposed name of the component. */
  name: string
}

export interface AddressList {
  addresses: PastedAddress[]
  /** Lines that are no http or https address. */
  invalid: string[]
}

export const MAX_ADDRESSES = 20
const MAX_NAME_LENGTH = 100

/** Each address once; a line without a scheme counts as https. */
export const parseAddresses = (text: string): AddressList => {
  const lines = text.split(/[\s,]+/).filter((line) => line !== '')
  const urls = lines.map((line) => ({ line, url: urlOf(line) }))
  const valid = new Set(urls.flatMap(({ url }) => (url === null ? [] : [url.href])))
  return {
    addresses: [...valid].map((url) => ({ url, name: nameOf(new URL(url)) })),
    invalid: urls.flatMap(({ line, url }) => (url === null ? [line] : [])),
  }
}

/**
 * Address that replaces another one; null unless the text is one address. A name that was proposed
 * for the former address is replaced too, and one that the user chose stays.
 */
export const correctedAddress = (former: PastedAddress, text: string): PastedAddress | null => {
  const { addresses, invalid } = parseAddresses(text)
  const [address] = addresses
  if (address === undefined || addresses.length > 1 || invalid.length > 0) return null
  const isProposed = former.name === nameOf(new URL(former.url))
  return isProposed ? address : { ...address, name: former.name }
}

const urlOf = (line: string): URL | null => {
  const text = /^[a-z][a-z\d+.-]*:\/\//i.test(line) ? line : `https://${line}`
  if (!URL.canParse(text)) return null
  const url = new URL(text)
  const isHost = url.hostname.includes('.') || url.hostname === 'localhost'
  return /^https?:$/.test(url.protocol) && url.username === '' && isHost ? url : null
}

const nameOf = ({ hostname, pathname }: URL): string => {
  const host = hostname.replace(/^www\./, '')
  const path = pathname.replace(/\/+$/, '')
  return `${host}${path}`.slice(0, MAX_NAME_LENGTH)
}

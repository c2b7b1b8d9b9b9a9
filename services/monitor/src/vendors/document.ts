/**
 * Document of a vendor's status page in one form, whatever its format. All texts of the vendor are
 * plain, on one line and bounded; all URLs are `http` or `https`.
 */
import {
  type ComponentStatus,
  MAX_VENDOR_MESSAGE,
  MAX_VENDOR_NAME,
  statusesBySeverity,
} from '@status-page/contracts'

/** Statement of a vendor about its page or one of its components. */
export interface VendorState {
  /** Null for a status without an equivalent in this product. */
  status: ComponentStatus | null
  message: string | null
  /** Address of an incident; null: that of the page. */
  url: string | null
  /** ISO 8601; null where the vendor gives no time. */
  reportedAt: string | null
}

export interface VendorComponent extends VendorState {
  id: string
  name: string
}

export interface VendorDocument {
  /** Null where the document does not name it. */
  vendor: string | null
  /** Page for readers; null where the document does not name it. */
  url: string | null
  page: VendorState
  /** Null for a format without components: the name selects entries. */
  components: readonly VendorComponent[] | null
  /** Unresolved entries of a format without components, newest first. */
  entries: readonly VendorEntry[]
}

/** Entry of a feed that is not resolved. */
export interface VendorEntry extends VendorState {
  /** Text in which the name of a component is searched, in lower case. */
  searchText: string
}

/** Maximum components of a document; larger pages have an unknown format. */
export const MAX_VENDOR_COMPONENTS = 5_000
const MAX_URL_CHARACTERS = 2_048

/** Control characters, and characters that are invisible or change the direction of text. */
const invisible = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu

/** Text on one line without invisible characters, cut to the length; null for nothing visible. */
export const plainText = (value: unknown, maxLength: number): string | null => {
  if (typeof value !== 'string') return null
  // A cut before the replacement bounds its cost; a character has at most two units.
  const text = value
    .slice(0, 4 * maxLength)
    .replace(/\s+/g, ' ')
    .replace(invisible, '')
    .trim()
    .toWellFormed()
  const cut = [...text].slice(0, maxLength).join('')
  return cut === '' ? null : cut
}

export const messageOf = (value: unknown): string | null => plainText(value, MAX_VENDOR_MESSAGE)

const statusPageSuffix = /\s+(?:(?:system|service)\s+)?status(?:\s+page)?$/i

/** Name of the vendor from the title of its page: “Acme Status” is “Acme”. */
export const vendorNameOf = (title: unknown): string | null => {
  const text = plainText(title, MAX_VENDOR_NAME)
  return text?.replace(statusPageSuffix, '') || text
}

export const webUrlOf = (value: unknown, base?: string): string | null => {
  if (typeof value !== 'string' || value.length > MAX_URL_CHARACTERS) return null
  const url = URL.parse(value, base)
  return url !== null && /^https?:$/.test(url.protocol) ? url.href : null
}

/** Member with the worst status; an unknown one counts as the worst, so that it is not hidden. */
export const worstOf = <State extends Pick<VendorState, 'status'>>(
  states: readonly [State, ...State[]],
): State =>
  states.reduce((worst, one) => (severityOf(one.status) < severityOf(worst.status) ? one : worst))

const severityOf = (status: ComponentStatus | null): number =>
  status === null ? -1 : statusesBySeverity.indexOf(status)

/** Language of a document for a visitor, by `Accept-Language` (RFC 9110, 12.5.4). Pure. */
import { type Locale, locales } from '@status-page/contracts'
import Negotiator from 'negotiator'

/** Characters of the header that are evaluated; headers of browsers have fewer than 100. */
const MAX_LENGTH = 512

/** The available locale that the visitor prefers; the first one without a preference for any. */
export const visitorLocale = (
  acceptLanguage: string | string[] | undefined,
  available: readonly [Locale, ...Locale[]] = locales,
): Locale => {
  const header = String(acceptLanguage ?? '').slice(0, MAX_LENGTH)
  const negotiator = new Negotiator({ headers: { 'accept-language': header || undefined } })
  return (negotiator.language([...available]) as Locale | undefined) ?? available[0]
}

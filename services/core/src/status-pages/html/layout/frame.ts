/** Frame of a document: its page, links and language. Pure. */
import { type Locale, PAGE_LOCALES_HEADER } from '@status-page/contracts'
import { visitorLocale } from '@status-page/html'
import type { Call } from '@status-page/service'
import type { StatusPageRow } from '../../../tables.ts'
import { type PageLanguage, pageLanguage, pageLocales } from '../../page-language.ts'
import { type PageUrls, pageUrls } from './urls.ts'

export interface PageFrame {
  /** Page with the URLs of its images as the document states them. */
  page: StatusPageRow
  urls: PageUrls
  language: PageLanguage
  /** Locales that the visitor may choose from, the page's own first. */
  locales: readonly Locale[]
  /** Locale of the visitor's choice; undefined where it was negotiated or is the page's own. */
  chosen: Locale | undefined
}

/** Frame in the page's own language. */
export const createPageFrame = (page: StatusPageRow, urls: PageUrls): PageFrame => ({
  page: withImageUrls(page, urls),
  urls,
  language: pageLanguage(page.locale, page.timezone),
  locales: [page.locale],
  chosen: undefined,
})

const withImageUrls = (page: StatusPageRow, { image }: PageUrls): StatusPageRow => {
  const urlOf = (url: string | null) => url && image(url)
  const { logoUrl, logoDarkUrl, faviconUrl } = page
  return {
    ...page,
    logoUrl: urlOf(logoUrl),
    logoDarkUrl: urlOf(logoDarkUrl),
    faviconUrl: urlOf(faviconUrl),
  }
}

/** Frame in the language of the visitor: chosen by `locale` of the query, otherwise negotiated. */
export const createVisitorFrame = (
  { page, baseUrl }: { page: StatusPageRow; baseUrl: string },
  { headers, query }: Pick<Call, 'headers'> & { query: { locale?: Locale } },
): PageFrame => {
  const locales = pageLocales(page)
  const isChoice = locales.length > 1 && locales.some((locale) => locale === query.locale)
  const chosen = isChoice ? query.locale : undefined
  const locale = chosen ?? visitorLocale(headers['accept-language'], locales)
  const urls = pageUrls(page, headers, baseUrl, chosen)
  return {
    page: withImageUrls(page, urls),
    urls,
    language: pageLanguage(locale, page.timezone),
    locales,
    chosen,
  }
}

/** Headers about the language of a document and what it depends on, for caches. */
export const negotiationHeaders = ({
  language,
  locales,
  chosen,
}: PageFrame): Record<string, string> => {
  const isNegotiated = locales.length > 1 && chosen === undefined
  return {
    'content-language': language.locale,
    vary: isNegotiated ? 'accept, accept-language' : 'accept',
    ...(isNegotiated ? { [PAGE_LOCALES_HEADER]: locales.join(' ') } : {}),
  }
}

/** Page of a Statuspage as settings of a status page. Pure. */
import { type NewStatusPage, type StatuspageDocuments, slugFrom } from '@status-page/contracts'
import { canonicalNetwork } from '@status-page/outbound'
import { textFormats } from '@status-page/service'
import type { Normalizer } from './normalizer.ts'
import { plainText } from './plain-text.ts'
import { timeZoneOf } from './time-zone.ts'

export interface SourcePageInput {
  sourceId: string
  name: string
  settings: Omit<NewStatusPage, 'name' | 'slug' | 'components' | 'isPublished'>
}

type SourcePage = NonNullable<StatuspageDocuments['page']>

const MAX_NAME = 100
const MAX_DESCRIPTION = 500

export const pageOf = (source: SourcePage, normalizer: Normalizer): SourcePageInput => {
  if (source.domain)
    normalizer.warn('page.domain', 'is not imported: set customDomain of the page and move its DNS')
  const name = normalizer.oneLine('page.name', source.name, MAX_NAME)
  return {
    sourceId: source.id,
    name,
    settings: {
      description: normalizer.description(
        'page.description',
        source.page_description,
        MAX_DESCRIPTION,
      ),
      // In the public API, `url` is the status page itself.
      homepageUrl: source.subdomain === undefined ? null : urlOf('url', source, normalizer),
      supportUrl: urlOf('support_url', source, normalizer),
      timezone: zoneOf(source, normalizer),
      theme: themeOf(source, normalizer),
      ...accessOf(source, normalizer),
      allowIndexing: source.hidden_from_search !== true,
      allowFeeds: source.allow_rss_atom_feeds ?? true,
      allowEmailSubscribers: source.allow_email_subscribers ?? true,
      allowSmsSubscribers: source.allow_sms_subscribers ?? false,
      allowWebhookSubscribers: source.allow_webhook_subscribers ?? false,
    },
  }
}

/** Attempts to find a slug that no other page has. */
const MAX_SLUGS = 50

/** Slugs for the page, from its subdomain or name, the first without a number. */
export const slugCandidates = (source: SourcePage): string[] => {
  const slug = slugOf(subdomainOf(source) ?? plainText(source.name))
  return [slug, ...Array.from({ length: MAX_SLUGS - 1 }, (_, index) => `${slug}-${index + 2}`)]
}

const STATUSPAGE_HOST = /^https?:\/\/([^./]+)\.statuspage\.io\b/i

const subdomainOf = ({ subdomain, url }: SourcePage): string | null =>
  subdomain || (STATUSPAGE_HOST.exec(url ?? '')?.[1] ?? null)

const MIN_SLUG = 3
const MAX_SLUG = 48
const OTHER_SLUG = 'status'

/** Slug of a text, with space for a number. */
const slugOf = (text: string): string => {
  const slug = slugFrom(text, MAX_SLUG)
  if (slug.length >= MIN_SLUG) return slug
  return slug === '' ? OTHER_SLUG : `${OTHER_SLUG}-${slug}`
}

const urlOf = (
  field: 'url' | 'support_url',
  source: SourcePage,
  normalizer: Normalizer,
): string | null => {
  const given = source[field]?.trim()
  if (!given) return null
  const format = textFormats[field === 'url' ? 'http-url' : 'support-url']
  const url = format?.canonical?.(given) ?? null
  if (url === null) normalizer.warn(`page.${field}`, 'is omitted, since it is not a valid URL')
  return url
}

const zoneOf = ({ time_zone: given }: SourcePage, normalizer: Normalizer): string => {
  const zone = timeZoneOf(given ?? 'UTC')
  if (zone === null) normalizer.warn('page.time_zone', 'is UTC, since the zone is unknown')
  return zone ?? 'UTC'
}

const colours = {
  primaryColor: 'css_link_color',
  operationalColor: 'css_greens',
  degradedColor: 'css_yellows',
  partialColor: 'css_oranges',
  majorColor: 'css_reds',
  maintenanceColor: 'css_blues',
} as const

const themeOf = (
  source: SourcePage,
  normalizer: Normalizer,
): NonNullable<NewStatusPage['theme']> => {
  const theme = Object.entries(colours).map(([name, field]) => {
    const colour = colourOf(source[field] ?? '')
    if (colour === undefined)
      normalizer.warn(`page.${field}`, 'is omitted, since it is not a colour')
    return [name, colour ?? null]
  })
  return Object.fromEntries(theme)
}

const HEX_COLOUR = /^#?(?:[0-9a-f]{3}|[0-9a-f]{6})$/i

/** Null for an empty text, undefined for one that is no colour. */
const colourOf = (text: string): string | null | undefined => {
  const given = text.trim().toLowerCase()
  if (given === '') return null
  if (!HEX_COLOUR.test(given)) return undefined
  const digits = given.replace('#', '')
  return `#${digits.length === 3 ? digits.replaceAll(/./g, '$&$&') : digits}`
}

type PageAccess = Pick<NewStatusPage, 'visibility' | 'allowedIpRanges'>

/** A page that was restricted stays restricted; members only, where its rules cannot be taken over. */
const accessOf = (source: SourcePage, normalizer: Normalizer): PageAccess => {
  const restrictions = (source.ip_restrictions ?? '').split(/[\s,;]+/).filter(Boolean)
  const ranges = restrictions.map(rangeOf)
  const known = ranges.filter((range) => range !== null)
  if (known.length < ranges.length || known.length > MAX_IP_RANGES) {
    normalizer.warn('page.ip_restrictions', 'are replaced by visibility members')
    return { visibility: 'members' }
  }
  if (source.viewers_must_be_team_members === true) return { visibility: 'members' }
  return known.length === 0
    ? { visibility: 'public' }
    : { visibility: 'ip_allowlist', allowedIpRanges: [...new Set(known)] }
}

const MAX_IP_RANGES = 100

/** Network of an address or of a range. */
const rangeOf = (text: string): string | null => {
  const bits = text.includes(':') ? 128 : 32
  return canonicalNetwork(text.includes('/') ? text : `${text}/${bits}`)
}

/**
 * URLs of a static page: relative from file to file, so that the files work in any folder. Links to
 * features that need the service are absolute.
 */
import type { FeedFormat } from '@status-page/contracts'
import { ownImage } from '../../uploads/rules.ts'
import { inLocale, type PageUrls } from '../html/layout/urls.ts'
import { dataUrl } from '../settings/links.ts'

const MONTH = /^\/(history|uptime)\?month=(\d{4}-\d{2})$/
const RECORD = /^\/(incidents|maintenances)\/([\da-f-]{36})$/
const FEED = /^\/feed\?format=(rss|atom|json)$/

/**
 * Path of the exported file for a part of the page, relative to the folder of the page; null when
 * no file is exported for it.
 */
export const exportedFilePath = (part: string): string | null => {
  if (part === '') return 'index.html'
  if (part === '/history' || part === '/uptime') return `${part.slice(1)}.html`
  const month = MONTH.exec(part)
  if (month !== null) return `${month[1]}/${month[2]}.html`
  const record = RECORD.exec(part)
  return record === null ? null : `${record[1]}/${record[2]}.html`
}

export const feedFilePath = (format: FeedFormat): string =>
  format === 'json' ? 'feed.json' : `feed.${format}.xml`

export const imageFilePath = (file: string): string => `images/${file}`

const dataFileOf = (part: string): string | null => {
  if (part === '/maintenances.ics') return 'maintenances.ics'
  const format = FEED.exec(part)?.[1] as FeedFormat | undefined
  return format === undefined ? null : feedFilePath(format)
}

export interface StaticSiteContext {
  slug: string
  baseUrl: string
  /** Public URL of the page. */
  url: (part: string) => string
  /** Paths of all files that are written. */
  written: ReadonlySet<string>
}

/** URLs of the page as written into one exported file, relative to the depth of that file. */
export const staticUrls = (file: string, site: StaticSiteContext): PageUrls => {
  const { slug, baseUrl, url, written } = site
  const up = '../'.repeat(file.split('/').length - 1)
  const linkTo = (target: string | null, otherwise: string) =>
    target !== null && written.has(target) ? `${up}${target}` : otherwise
  return {
    url,
    eventStream: () => null,
    inLocale: (part, locale) => inLocale(url(part), locale),
    path: (part) => linkTo(exportedFilePath(part), url(part)),
    image: (url) => {
      const upload = ownImage(url, baseUrl)
      return linkTo(upload && imageFilePath(upload.file), url)
    },
    data: (part) => linkTo(dataFileOf(part), `${dataUrl(baseUrl, slug)}${part}`),
  }
}

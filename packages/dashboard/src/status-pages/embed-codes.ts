/** Codes and addresses of a status page for other websites and programs. Pure. */
import type { BadgeMetric } from '@status-page/contracts'

export interface EmbedPage {
  name: string
  slug: string
  /** Address of the page, as `https://example.com/status/acme`. */
  url: string
}

/** Text in an attribute or between elements of HTML. */
const escaped = (text: string): string =>
  text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')

/** Text of a link in Markdown, where brackets and backslashes would end it. */
const escapedMarkdown = (text: string): string => text.replaceAll(/[\\[\]<>]/g, '\\$&')

/** Address of the data of the page, without a final slash. */
export const dataUrlOf = ({ slug, url }: EmbedPage): string => {
  const base = url.slice(0, -`/status/${slug}`.length)
  return `${base}/api/v1/public/status/${slug}`
}

export const bannerCode = ({ url }: EmbedPage): string =>
  `<script src="${escaped(url)}/embed.js" async></script>`

export const frameCode = ({ name, url }: EmbedPage): string =>
  `<iframe src="${escaped(url)}/embed" title="${escaped(name)}" width="320" height="48" style="border: 0"></iframe>`

export const badgeUrl = (page: EmbedPage, metric: BadgeMetric): string =>
  `${dataUrlOf(page)}/badge.svg${metric === 'status' ? '' : `?metric=${metric}`}`

export const badgeMarkdown = (page: EmbedPage, metric: BadgeMetric): string =>
  `[![${escapedMarkdown(page.name)}](${badgeUrl(page, metric)})](${page.url})`

export const badgeHtml = (page: EmbedPage, metric: BadgeMetric): string =>
  `<a href="${escaped(page.url)}"><img src="${escaped(badgeUrl(page, metric))}" alt="${escaped(page.name)}"></a>`

export const feedUrlOf = (page: EmbedPage, format: 'atom' | 'rss' | 'json'): string =>
  `${dataUrlOf(page)}/feed?format=${format}`

/** Feeds of a page: RSS 2.0, Atom 1.0, JSON Feed 1.1. One entry an incident; its id never changes. */
import type { FeedFormat, PublicIncident } from '@status-page/contracts'
import { escapeHtml, escapeXml, withoutForbidden } from '../escape.ts'

export interface Feed {
  id: string
  title: string
  description: string | null
  pageUrl: string
  feedUrl: string
  updatedAt: string
  language: string
  /** Newest first. */
  incidents: readonly PublicIncident[]
}

export const contentTypes: Record<FeedFormat, string> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
}

export const renderFeed = (format: FeedFormat, feed: Feed): string => renderers[format](feed)

const declaration = '<?xml version="1.0" encoding="UTF-8"?>'

/** Readers take titles and descriptions for HTML, so text is escaped for HTML and then for XML. */
const asHtml = (text: string): string => escapeXml(escapeHtml(text))

const rss = (feed: Feed): string => `${declaration}
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${asHtml(feed.title)}</title>
<link>${escapeXml(feed.pageUrl)}</link>
<description>${asHtml(feed.description ?? feed.title)}</description>
<language>${escapeXml(feed.language)}</language>
<lastBuildDate>${rfc822(feed.updatedAt)}</lastBuildDate>
<atom:link href="${escapeXml(feed.feedUrl)}" rel="self" type="application/rss+xml"/>
${feed.incidents.map(rssItem).join('')}</channel>
</rss>
`

const rssItem = (incident: PublicIncident): string => `<item>
<title>${asHtml(incident.title)}</title>
<link>${escapeXml(incident.url)}</link>
<guid isPermaLink="false">${urn(incident.id)}</guid>
<pubDate>${rfc822(incident.startedAt)}</pubDate>
<atom:updated>${incident.updatedAt}</atom:updated>
<description>${asHtml(contentOf(incident))}</description>
</item>
`

const atom = (feed: Feed): string => `${declaration}
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escapeXml(feed.language)}">
<id>${urn(feed.id)}</id>
<title type="html">${asHtml(feed.title)}</title>
<updated>${feed.updatedAt}</updated>
<author><name>${escapeXml(feed.title)}</name></author>
<link rel="self" type="application/atom+xml" href="${escapeXml(feed.feedUrl)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(feed.pageUrl)}"/>
${feed.incidents.map(atomEntry).join('')}</feed>
`

const atomEntry = (incident: PublicIncident): string => `<entry>
<id>${urn(incident.id)}</id>
<title type="html">${asHtml(incident.title)}</title>
<published>${incident.startedAt}</published>
<updated>${incident.updatedAt}</updated>
<link rel="alternate" type="text/html" href="${escapeXml(incident.url)}"/>
<content type="html">${asHtml(contentOf(incident))}</content>
</entry>
`

const json = (feed: Feed): string =>
  JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    home_page_url: feed.pageUrl,
    feed_url: feed.feedUrl,
    ...(feed.description === null ? {} : { description: feed.description }),
    language: feed.language,
    items: feed.incidents.map((incident) => ({
      id: urn(incident.id),
      url: incident.url,
      title: incident.title,
      content_text: withoutForbidden(contentOf(incident)),
      date_published: incident.startedAt,
      date_modified: incident.updatedAt,
    })),
  })

const renderers: Record<FeedFormat, (feed: Feed) => string> = { rss, atom, json }

/** All updates, newest first. */
const contentOf = ({ updates }: PublicIncident): string =>
  updates
    .map(({ createdAt, status, message }) => `${status} (${createdAt}): ${message}`.trimEnd())
    .join('\n\n')

const urn = (id: string): string => `urn:uuid:${id}`

const rfc822 = (time: string): string => new Date(time).toUTCString()

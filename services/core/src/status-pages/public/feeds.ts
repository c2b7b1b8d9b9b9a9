/**
 * Feeds of a page: RSS 2.0, Atom 1.0, JSON Feed 1.1. One entry per incident or maintenance, with a
 * stable id.
 */
import type { Cooperative, FeedFormat } from '@status-page/contracts'
import { escapeHtml, escapeXml, stripInvalidXmlCharacters } from '@status-page/html'
import { messageHtml, messagePlainText } from '@status-page/markdown'
import { joinCooperatively, stringifyJson } from '@status-page/service'

export interface FeedEntry {
  id: string
  /** Current status and title. */
  title: string
  url: string
  /** Sort key of the feed; `publishedAt` is displayed. */
  createdAt: string
  publishedAt: string
  /** Time of the last update. */
  updatedAt: string
  /** Newest first. */
  updates: readonly FeedUpdate[]
}

export interface FeedUpdate {
  /** Status and time, in the page's language and time zone. */
  heading: string
  /** Markdown. */
  message: string
}

export interface Feed {
  id: string
  title: string
  description: string | null
  pageUrl: string
  feedUrl: string
  updatedAt: string
  language: string
  /** Newest first. */
  entries: readonly FeedEntry[]
}

export const feedContentTypes: Record<FeedFormat, string> = {
  rss: 'application/rss+xml; charset=utf-8',
  atom: 'application/atom+xml; charset=utf-8',
  json: 'application/feed+json; charset=utf-8',
}

/** Yields between updates: those of a feed can have several megabytes. */
export const renderFeed = (format: FeedFormat, feed: Feed): Cooperative<Buffer> =>
  renderers[format](feed)

const declaration = '<?xml version="1.0" encoding="UTF-8"?>'

/** Readers parse titles and descriptions as HTML, so text is escaped for HTML and then for XML. */
const asHtml = (text: string): string => escapeXml(escapeHtml(text))

function* rssPieces(feed: Feed): Iterable<string> {
  yield `${declaration}
<rss version="2.0" xmlns:atom="http://www.w3.org/2005/Atom">
<channel>
<title>${escapeXml(feed.title)}</title>
<link>${escapeXml(feed.pageUrl)}</link>
<description>${asHtml(feed.description ?? feed.title)}</description>
<language>${escapeXml(feed.language)}</language>
<lastBuildDate>${rfc822(feed.updatedAt)}</lastBuildDate>
<atom:link href="${escapeXml(feed.feedUrl)}" rel="self" type="application/rss+xml"/>
`
  for (const entry of feed.entries) yield* rssItem(entry)
  yield '</channel>\n</rss>\n'
}

/** RSS titles are plain text in practice, although the specification also allows HTML. */
function* rssItem(entry: FeedEntry): Iterable<string> {
  yield `<item>
<title>${escapeXml(entry.title)}</title>
<link>${escapeXml(entry.url)}</link>
<guid isPermaLink="false">${urn(entry.id)}</guid>
<pubDate>${rfc822(entry.publishedAt)}</pubDate>
<atom:updated>${entry.updatedAt}</atom:updated>
<description>`
  for (const update of entry.updates) yield escapeXml(updateHtml(update))
  yield '</description>\n</item>\n'
}

function* atomPieces(feed: Feed): Iterable<string> {
  yield `${declaration}
<feed xmlns="http://www.w3.org/2005/Atom" xml:lang="${escapeXml(feed.language)}">
<id>${urn(feed.id)}</id>
<title type="html">${asHtml(feed.title)}</title>
<updated>${feed.updatedAt}</updated>
<author><name>${escapeXml(feed.title)}</name></author>
<link rel="self" type="application/atom+xml" href="${escapeXml(feed.feedUrl)}"/>
<link rel="alternate" type="text/html" href="${escapeXml(feed.pageUrl)}"/>
`
  for (const entry of feed.entries) yield* atomEntry(entry)
  yield '</feed>\n'
}

function* atomEntry(entry: FeedEntry): Iterable<string> {
  yield `<entry>
<id>${urn(entry.id)}</id>
<title type="html">${asHtml(entry.title)}</title>
<published>${entry.publishedAt}</published>
<updated>${entry.updatedAt}</updated>
<link rel="alternate" type="text/html" href="${escapeXml(entry.url)}"/>
<content type="html">`
  for (const update of entry.updates) yield escapeXml(updateHtml(update))
  yield '</content>\n</entry>\n'
}

function* json(feed: Feed): Cooperative<Buffer> {
  const items: object[] = []
  for (const entry of feed.entries) items.push(yield* jsonItem(entry))
  return yield* stringifyJson({
    version: 'https://jsonfeed.org/version/1.1',
    title: feed.title,
    home_page_url: feed.pageUrl,
    feed_url: feed.feedUrl,
    ...(feed.description === null ? {} : { description: feed.description }),
    language: feed.language,
    items,
  })
}

function* jsonItem(entry: FeedEntry): Cooperative<object> {
  const updates = () => entry.updates.values()
  const html = yield* joinCooperatively(updates().map(updateHtml))
  const text = yield* joinCooperatively(updates().map(followingText))
  return {
    id: urn(entry.id),
    url: entry.url,
    title: stripInvalidXmlCharacters(entry.title),
    content_html: html.toString(),
    content_text: text.toString(),
    date_published: entry.publishedAt,
    date_modified: entry.updatedAt,
  }
}

const renderers: Record<FeedFormat, (feed: Feed) => Cooperative<Buffer>> = {
  rss: (feed) => joinCooperatively(rssPieces(feed)),
  atom: (feed) => joinCooperatively(atomPieces(feed)),
  json,
}

const updateHtml = ({ heading, message }: FeedUpdate): string =>
  `<p><strong>${escapeHtml(heading)}</strong></p>\n${messageHtml(stripInvalidXmlCharacters(message))}\n`

const updateText = ({ heading, message }: FeedUpdate): string =>
  stripInvalidXmlCharacters(`${heading}\n${messagePlainText(message)}`.trimEnd())

const followingText = (update: FeedUpdate, index: number): string =>
  `${index > 0 ? '\n\n' : ''}${updateText(update)}`

const urn = (id: string): string => `urn:uuid:${id}`

const rfc822 = (time: string): string => new Date(time).toUTCString()

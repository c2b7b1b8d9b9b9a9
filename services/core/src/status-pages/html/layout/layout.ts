/**
 * HTML layout of a page: head, header, footer, and a Content-Security-Policy that allows only its
 * own style and scripts, by hash. Images may come from any HTTPS origin.
 */
import { createHash } from 'node:crypto'
import {
  locales as allLocales,
  type Cooperative,
  type Locale,
  OUTDATED_NOTE,
  PAGE_VERSION_ATTRIBUTE,
} from '@status-page/contracts'
import {
  contentSecurityPolicy,
  html,
  type Markup,
  type MarkupValue,
  pageStyleSheet,
  policyHash,
  type RenderedHtml,
  renderMarkup,
  trustedMarkup,
} from '@status-page/html'
import { digestCooperatively } from '@status-page/service'
import type { StatusPageRow } from '../../../tables.ts'
import { negotiationHeaders, type PageFrame } from './frame.ts'
import { iconSprite } from './icons.ts'
import { PREVIEW_IMAGE_SIZE } from './preview-image-size.ts'
import { pageScript, themeScript } from './script.ts'
import { inLocale } from './urls.ts'

export interface HtmlDocument {
  title: string
  description: string
  /** Path below the page; `''` is the status page itself. */
  part: string
  icon: string
  /** Link preview: an image that shows the status of the page. */
  previewImage: {
    alt: string
    /** Part of the image's URL; previews fetch the image again when it changes. */
    state: string
  }
  /** Seconds between two polls for changes; null when the page does not poll. */
  liveSeconds: number | null
  isIndexed: boolean
  content: Markup
}

/** Link preview of a document that does not state the current status itself. */
export const defaultPreview = (
  { page, language }: PageFrame,
  state: string,
): HtmlDocument['previewImage'] => ({
  alt: language.labelled(page.name, language.texts.current),
  state,
})

const scriptHashes = `${policyHash(themeScript)} ${policyHash(pageScript)}`

/** Renders the text of a page; yields while a long one is rendered. */
export function* renderDocument(frame: PageFrame, source: HtmlDocument): Cooperative<Buffer> {
  const { page, language } = frame
  const content = yield* renderMarkup(source.content)
  const document = { ...source, content: html`${content}` }
  const digest = document.liveSeconds === null ? null : yield* digestCooperatively(content)
  const style = pageStyleSheet(page.theme)
  const { locale, direction, texts } = language
  const body = html`<!doctype html>
<html lang="${locale}" dir="${direction}" data-mode="${page.theme.mode}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
${headOf(frame, document)}
<style>${trustedMarkup(style)}</style>
<script>${trustedMarkup(themeScript)}</script>
</head>
<body>
${iconSprite}
<a class="skip" href="#main">${texts.skip}</a>
${headerOf(frame, document)}
${mainOf(frame, document, digest)}
${footerOf(frame, document)}
<p id="news" class="hide" role="status"></p>
<script type="module">${trustedMarkup(pageScript)}</script>
</body>
</html>
`
  return yield* renderMarkup(body)
}

/** Headers of a page that `renderDocument` renders. */
export const documentHeaders = (frame: PageFrame): RenderedHtml['headers'] => ({
  'content-security-policy': contentSecurityPolicy(pageStyleSheet(frame.page.theme), scriptHashes),
  'referrer-policy': 'no-referrer',
  ...negotiationHeaders(frame),
})

const headOf = (frame: PageFrame, document: HtmlDocument): Markup => {
  const { page, urls } = frame
  const { title, description, part, icon, isIndexed } = document
  const url = inLocale(urls.url(part), frame.chosen)
  const feed = (format: string, type: string) =>
    html`<link rel="alternate" type="${type}" title="${page.name}" href="${urls.data(`/feed?format=${format}`)}">`
  return html`<title>${title}</title>
<meta name="description" content="${description}">
${isIndexed && page.allowIndexing ? [html`<link rel="canonical" href="${url}">`, alternateLinks(frame, part)] : html`<meta name="robots" content="noindex">`}
<link rel="icon" href="${icon}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="${page.name}">
<meta property="og:title" content="${title}">
<meta property="og:description" content="${description}">
<meta property="og:url" content="${url}">
${page.visibility === 'public' ? previewTags(frame, document) : html`<meta name="twitter:card" content="summary">`}
${page.allowFeeds && [feed('atom', 'application/atom+xml'), feed('rss', 'application/rss+xml'), feed('json', 'application/feed+json')]}
${isIndexed && html`<link rel="alternate" type="text/markdown" href="${urls.path(part)}">`}`
}

/** Translations of the document, for search engines. */
const alternateLinks = ({ urls, locales }: PageFrame, part: string): MarkupValue =>
  locales.length > 1 && [
    html`<link rel="alternate" hreflang="x-default" href="${urls.url(part)}">`,
    ...locales.map(
      (locale) =>
        html`<link rel="alternate" hreflang="${locale}" href="${inLocale(urls.url(part), locale)}">`,
    ),
  ]

/** Link preview tags, only for public pages: previews are fetched without password and session. */
const previewTags = (
  { page, urls }: PageFrame,
  { previewImage: { alt, state } }: HtmlDocument,
): Markup => {
  const { name, theme, locale } = page
  const version = digestOf(JSON.stringify([state, name, theme, locale, urls.url('')]))
  return html`<meta property="og:image" content="${urls.url(`/og.png?v=${version}`)}">
<meta property="og:image:type" content="image/png">
<meta property="og:image:width" content="${PREVIEW_IMAGE_SIZE.width}">
<meta property="og:image:height" content="${PREVIEW_IMAGE_SIZE.height}">
<meta property="og:image:alt" content="${alt}">
<meta name="twitter:card" content="summary_large_image">`
}

const headerOf = ({ page, urls, language }: PageFrame, { part }: HtmlDocument): Markup =>
  html`<header><div class="w">
<h1><a href="${urls.path('')}">${pageNameOrLogo(page)}</a></h1>
${part !== '/subscribe' && html`<a class="b" href="${urls.path('/subscribe')}">${language.texts.subscribe}</a>`}
</div></header>`

/** Name of the page, or its logo. */
export const pageNameOrLogo = ({ name, logoUrl, logoDarkUrl }: StatusPageRow): MarkupValue => {
  const logo = (url: string, when: string) =>
    html`<img class="logo ${when}" src="${url}" alt="${name}" width="192" height="40">`
  if (logoUrl === null) return html`<bdi>${name}</bdi>`
  if (logoDarkUrl !== null) return [logo(logoUrl, 'on-light'), logo(logoDarkUrl, 'on-dark')]
  return html`<img class="logo" src="${logoUrl}" alt="${name}" width="192" height="40">`
}

const VERSION_LENGTH = 12

const digestOf = (text: string): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, VERSION_LENGTH)

/** `digest`: of the content; null when the page does not poll. */
const mainOf = (
  { urls, language }: PageFrame,
  document: HtmlDocument,
  digest: string | null,
): Markup => {
  const { liveSeconds, content, part } = document
  const { texts } = language
  if (digest === null) return html`<main id="main" class="w" tabindex="-1">${content}</main>`
  const version = digest.slice(0, VERSION_LENGTH)
  const events = urls.eventStream(part)
  return html`<main id="main" class="w" tabindex="-1" data-live="${liveSeconds}"${events && html` data-events="${events}"`} ${PAGE_VERSION_ATTRIBUTE}="${version}" data-news="${texts.changed}">
${outdatedNote(texts.outdated)}
${content}</main>`
}

/**
 * Hidden note; the gateway shows it with the time of the page when it serves a stale cache entry.
 */
const outdatedNote = (sentence: string): Markup => {
  const [before = '', after = ''] = sentence.split('{}')
  return html`${trustedMarkup(OUTDATED_NOTE.start)}${before}${trustedMarkup(OUTDATED_NOTE.time)}${after}</p>`
}

const footerOf = (frame: PageFrame, document: HtmlDocument): Markup => {
  const { page, urls, language } = frame
  const { texts, timezone } = language
  const link = (href: string, text: MarkupValue) => html`<a href="${href}">${text}</a>`
  return html`<footer><div class="w">
<nav aria-label="${page.name}">
${link(urls.path(''), texts.current)}
${link(urls.path('/history'), texts.history)}
${link(urls.data('/maintenances.ics'), texts.calendar)}
${page.allowFeeds && [link(urls.data('/feed?format=atom'), 'Atom'), ' ', link(urls.data('/feed?format=rss'), 'RSS'), ' ', link(urls.data('/feed?format=json'), 'JSON')]}
${page.supportUrl && link(page.supportUrl, texts.support)}
${page.homepageUrl && link(page.homepageUrl, new URL(page.homepageUrl).hostname)}
</nav>
${languageLinks(frame, document)}<div class="tools"><span>${texts.timesIn.replace('{}', timezone)}</span>
<button id="zone" type="button" hidden data-here="${texts.localTimes}" data-there="${texts.pageTimes}"></button>
<button id="theme" type="button" hidden>${texts.theme}</button></div>
</div></footer>`
}

/** Names of the languages, each in its own language. */
const languageNames = new Map(
  allLocales.map((locale) => [
    locale,
    new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale,
  ]),
)

/** Links to the document in the other languages of the page. */
const languageLinks = (
  { urls, language, locales }: PageFrame,
  { part }: HtmlDocument,
): Markup | null => {
  if (locales.length === 1) return null
  const link = (locale: Locale) =>
    html`<a href="${urls.inLocale(part, locale)}" lang="${locale}" hreflang="${locale}"${locale === language.locale && html` aria-current="true"`}>${languageNames.get(locale)}</a>
`
  return html`<nav aria-label="${language.texts.language}">${locales.map(link)}</nav>
`
}

/**
 * RSS and Atom feeds of status pages. A feed states no severity: an entry that is not resolved
 * counts as degraded performance, and one about a maintenance in progress as maintenance. Entities
 * of a document type are not expanded.
 */
import type { ComponentStatus, Cooperative } from '@status-page/contracts'
import { Parser } from 'htmlparser2'
import { timeOf } from '../untrusted-values.ts'
import {
  messageOf,
  plainText,
  type VendorDocument,
  type VendorEntry,
  type VendorState,
  vendorNameOf,
  webUrlOf,
  worstOf,
} from './document.ts'

/** Characters that are parsed between two pauses, in about a millisecond. */
const STEP_CHARACTERS = 16_384
/** Entries that are read; feeds begin with the newest. */
const MAX_ENTRIES = 50
/** Maximum nesting: the cost of the parser for an element grows with it. */
const MAX_DEPTH = 100
/** Characters of a text of an entry; the rest is not searched. */
const MAX_TEXT = 10_000
/** Age from which an entry without a final state counts as resolved. */
const MAX_OPEN_MS = 7 * 86_400_000

const roots: ReadonlySet<string> = new Set(['rss', 'feed', 'rdf:RDF'])
const entryNames: ReadonlySet<string> = new Set(['item', 'entry'])

/** Field of an entry by the names of its elements in RSS and Atom. */
const fieldByName: Record<string, keyof FeedEntry> = {
  title: 'title',
  description: 'text',
  summary: 'text',
  content: 'text',
  'content:encoded': 'text',
  link: 'link',
  updated: 'time',
  pubDate: 'time',
  published: 'time',
  'dc:date': 'time',
}

interface FeedEntry {
  title: string
  text: string
  link: string
  time: string
}

interface Feed {
  isFeed: boolean
  title: string
  link: string
  entries: FeedEntry[]
}

/** Null for a text that is no feed. */
export function* parseFeed(text: string, now: Date): Cooperative<VendorDocument | null> {
  const collector = new FeedCollector()
  const parser = new Parser(collector, { xmlMode: true })
  for (let at = 0; at < text.length && !collector.isComplete; at += STEP_CHARACTERS) {
    parser.write(text.slice(at, at + STEP_CHARACTERS))
    yield
  }
  return collector.feed.isFeed ? toDocument(collector.feed, now) : null
}

/** Collects the texts of the feed and of its first entries. */
class FeedCollector {
  readonly feed: Feed = { isFeed: false, title: '', link: '', entries: [] }
  isComplete = false
  #isInside = false
  #entry: FeedEntry | null = null
  /** Field that the element at the depth fills. */
  #field: { name: keyof FeedEntry; depth: number; isFirst: boolean } | null = null
  #depth = 0

  onopentag(name: string, attributes: Readonly<Record<string, string>>): void {
    this.#depth++
    if (this.#depth > MAX_DEPTH) this.#reject()
    if (!this.#isInside) {
      this.#isInside = true
      this.feed.isFeed = true
      if (!roots.has(name)) this.#reject()
      return
    }
    if (this.isComplete) return
    if (entryNames.has(name)) {
      this.#entry = { title: '', text: '', link: '', time: '' }
      return
    }
    const field = fieldByName[name]
    if (field === undefined || this.#field !== null) return
    this.#field = { name: field, depth: this.#depth, isFirst: this.#textOf(field) === '' }
    const { href, rel = 'alternate' } = attributes
    if (href !== undefined && rel === 'alternate') this.ontext(href)
  }

  ontext(text: string): void {
    if (this.#field?.isFirst !== true) return
    const { name } = this.#field
    this.#setText(name, (this.#textOf(name) + text).slice(0, MAX_TEXT))
  }

  onclosetag(name: string): void {
    if (this.#field?.depth === this.#depth) this.#field = null
    this.#depth--
    if (!entryNames.has(name) || this.#entry === null || this.isComplete) return
    this.feed.entries.push(this.#entry)
    this.#entry = null
    this.isComplete = this.feed.entries.length === MAX_ENTRIES
  }

  #reject(): void {
    this.feed.isFeed = false
    this.isComplete = true
  }

  #textOf(name: keyof FeedEntry): string {
    if (this.#entry !== null) return this.#entry[name]
    return name === 'title' || name === 'link' ? this.feed[name] : ''
  }

  #setText(name: keyof FeedEntry, text: string): void {
    if (this.#entry !== null) this.#entry[name] = text
    else if (name === 'title' || name === 'link') this.feed[name] = text
  }
}

const historySuffix = /\s+-\s+(?:incident|maintenance|status)?\s*history$/i

const toDocument = (feed: Feed, now: Date): VendorDocument => {
  const entries = feed.entries.flatMap((entry) => openEntryOf(entry, now))
  return {
    // On one line: the expression takes quadratic time for many spaces.
    vendor: vendorNameOf(plainText(feed.title, MAX_TEXT)?.replace(historySuffix, '')),
    url: webUrlOf(feed.link.trim()),
    page: stateOfEntries(entries),
    components: null,
    entries,
  }
}

/** State of the worst entry; operational without one. */
export const stateOfEntries = ([first, ...others]: readonly VendorEntry[]): VendorState => {
  if (first === undefined) {
    return { status: 'operational', message: null, url: null, reportedAt: null }
  }
  const { searchText: _text, ...state } = worstOf([first, ...others])
  return state
}

const openEntryOf = ({ title, text, link, time }: FeedEntry, now: Date): VendorEntry[] => {
  const reportedAt = timeOf(time.trim())
  const isOld = reportedAt !== null && now.getTime() - Date.parse(reportedAt) > MAX_OPEN_MS
  const [heading, content] = [
    plainText(withoutTags(title), MAX_TEXT),
    plainText(withoutTags(text), MAX_TEXT),
  ]
  const status = isOld ? null : statusOf(heading ?? '', content ?? '')
  if (status === null) return []
  const searchText = `${heading ?? ''} ${content ?? ''}`.toLowerCase()
  const url = webUrlOf(link.trim())
  return [{ status, message: messageOf(heading), url, reportedAt, searchText }]
}

const closedTitle = /\b(?:resolved|completed|cancelled|operating normally)\b/i
/** Words for the states of incidents and maintenances; updates of an entry begin with the newest. */
const stateWord =
  /\b(investigating|identified|monitoring|update|in progress|verifying|scheduled|resolved|completed|cancelled|postmortem)\b/i

const statusByWord: Record<string, ComponentStatus | null> = {
  investigating: 'degraded_performance',
  identified: 'degraded_performance',
  monitoring: 'degraded_performance',
  update: 'degraded_performance',
  'in progress': 'under_maintenance',
  verifying: 'under_maintenance',
  scheduled: null,
  resolved: null,
  completed: null,
  cancelled: null,
  postmortem: null,
}

/** Null for an entry that is resolved, or about a maintenance that has not begun. */
const statusOf = (title: string, content: string): ComponentStatus | null => {
  if (closedTitle.test(title)) return null
  const word = stateWord.exec(content)?.[1]?.toLowerCase()
  return word === undefined ? 'degraded_performance' : (statusByWord[word] ?? null)
}

const entities: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  nbsp: ' ',
  '#39': "'",
}

/** Text of HTML: entries of feeds contain it as text. */
const withoutTags = (html: string): string =>
  html
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&(amp|lt|gt|quot|nbsp|#39);/g, (_all, name: string) => entities[name] ?? ' ')

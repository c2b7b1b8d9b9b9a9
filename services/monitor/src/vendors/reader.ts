/**
 * Reader of the status pages of vendors: requests a document within limits of size, time and
 * redirects, and parses it within a budget of processor time. Every fault has a name.
 */
import type { VendorFault } from '@status-page/contracts'
import {
  type Outbound,
  type OutboundSuccess,
  parseUntrustedJson,
  StepBudget,
  StepBudgetError,
} from '@status-page/outbound'
import { runCooperatively } from '@status-page/service'
import { getWithRedirects } from '../redirected-get.ts'
import type { VendorDocument } from './document.ts'
import { parseFeed } from './feed.ts'
import { parseJsonDocument } from './json-formats.ts'
import { vendorSources } from './sources.ts'

/** Page with what is known of its last document. */
export interface PageToRead {
  url: string
  /** Address of the last document; null: it is searched. */
  source: string | null
  etag: string | null
  lastModified: string | null
}

export interface ReadDocument extends Omit<PageToRead, 'url'> {
  source: string
  document: VendorDocument
}

export type VendorReading =
  | ({ state: 'read' } & ReadDocument)
  | { state: 'unchanged' }
  | { state: 'failed'; error: VendorFault }

export interface VendorReader {
  /** Never rejects for a fault of the vendor. */
  read(page: PageToRead): Promise<VendorReading>
}

const TIMEOUT_MS = 10_000
const MAX_BODY_BYTES = 2 * 1024 * 1024
/** About 32 ms of parsing. */
const MAX_STEPS = 16_000_000
const MAX_VALIDATOR_CHARACTERS = 1_024
const ACCEPT = 'application/json, application/atom+xml, application/rss+xml, application/xml;q=0.9'
const OK = 200
const NOT_MODIFIED = 304

export interface VendorReaderDeps {
  outbound: Pick<Outbound, 'request'>
  /** Epoch milliseconds. */
  now: () => number
}

export const createVendorReader = (deps: VendorReaderDeps): VendorReader => ({
  async read(page) {
    if (page.source !== null) return readSource(deps, page.source, page)
    let reading: VendorReading = { state: 'failed', error: 'unknown_format' }
    for (const source of vendorSources(page.url)) {
      reading = await readSource(deps, source, null)
      if (!isElsewhere(reading)) return reading
    }
    return reading
  },
})

/** Whether another address of the same host may have the document. */
const isElsewhere = (reading: VendorReading): boolean =>
  reading.state === 'failed' &&
  (reading.error === 'error_response' || reading.error === 'unknown_format')

const readSource = async (
  { outbound, now }: VendorReaderDeps,
  source: string,
  known: Pick<PageToRead, 'etag' | 'lastModified'> | null,
): Promise<VendorReading> => {
  const response = await getWithRedirects(outbound, source, {
    headers: { accept: ACCEPT, ...validatorsOf(known) },
    timeoutMs: TIMEOUT_MS,
    maxBodyBytes: MAX_BODY_BYTES,
  })
  if (!response.ok) return { state: 'failed', error: response.error }
  if (response.status === NOT_MODIFIED && known !== null) return { state: 'unchanged' }
  if (response.status !== OK) return { state: 'failed', error: 'error_response' }
  return parse(source, response, new Date(now()))
}

const validatorsOf = (known: Pick<PageToRead, 'etag' | 'lastModified'> | null) => ({
  ...(known?.etag == null ? {} : { 'if-none-match': known.etag }),
  ...(known?.lastModified == null ? {} : { 'if-modified-since': known.lastModified }),
})

const parse = async (
  source: string,
  { body, headers }: OutboundSuccess,
  now: Date,
): Promise<VendorReading> => {
  try {
    const document = await parseDocument(body.toString('utf8'), now)
    if (document === null) return { state: 'failed', error: 'unknown_format' }
    // Entries of a feed also end by their age: an unchanged feed is read again while it has some.
    const isStable = document.entries.length === 0
    return {
      state: 'read',
      source,
      etag: isStable ? validatorOf(headers.etag) : null,
      lastModified: isStable ? validatorOf(headers['last-modified']) : null,
      document,
    }
  } catch (error) {
    if (error instanceof StepBudgetError) return { state: 'failed', error: 'too_complex' }
    throw error
  }
}

const parseDocument = async (text: string, now: Date): Promise<VendorDocument | null> => {
  const start = text.replace(/^\uFEFF/, '').trimStart()
  return start.startsWith('<')
    ? runCooperatively(parseFeed(start, now))
    : parseJsonDocument(parseUntrustedJson(start, new StepBudget(MAX_STEPS)))
}

const validatorOf = (value: string | undefined): string | null =>
  value === undefined || value.length > MAX_VALIDATOR_CHARACTERS ? null : value

/**
 * Cache entry: a public response as bytes, with the time up to which it is known to be valid. The
 * body is compressed once per encoding, not once per request; a large one is stored compressed.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gunzip, gunzipSync, gzip } from 'node:zlib'
import { type Locale, OUTDATED_NOTE } from '@status-page/contracts'

/** Body as it is stored. */
export interface EntryBody {
  bytes: Buffer
  /** Encoding of the bytes; `gzip` for large bodies (`compressLargeBody`). */
  encoding: 'identity' | 'gzip'
  /** Size without the encoding. */
  length: number
}

export interface CacheEntry {
  /** Response headers that are sent again. */
  headers: Readonly<Record<string, string>>
  body: EntryBody
  etag: string
  /** Organization that owns the page. */
  organizationId: string
  slug: string
  /** Locales from which core chose by `Accept-Language`; undefined for other responses. */
  locales?: readonly [Locale, ...Locale[]] | undefined
  /**
   * Time of the response in which core last confirmed the entry, in milliseconds since 1970;
   * `requestedAt` is the time of its request.
   */
  validatedAt: number
  requestedAt: number
  /** Period in which the entry is fresh and needs no revalidation, in ms. */
  maxAgeMs: number
  /** Ready-to-write responses, which share the lifetime of the body. */
  variants: Partial<Record<Encoding, WritableResponse>>
}

/** Response as the normal path has sent it, in one encoding. */
export interface WritableResponse {
  /** Body as it is written to the socket. */
  body: Buffer | string
  etag: string
  /**
   * Etag as it was sent: weak where the body is compressed. Most clients send it back unchanged.
   */
  sentEtag: string
  /** Alternating names and values, as `writeHead` takes them. */
  okHeaders: readonly string[]
  notModifiedHeaders: readonly string[]
}

export const encodings = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof encodings)[number]

/** Encodings of large bodies, which are stored as gzip alone: every client with br accepts it. */
const largeBodyEncodings: readonly Encoding[] = ['gzip', 'identity']

const MIN_COMPRESSED_BYTES = 1_024
/**
 * Brotli quality; bodies are compressed once per change. Quality 11 takes ten times as long and
 * saves a twentieth.
 */
const BROTLI_QUALITY = 7

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)
const gunzipAsync = promisify(gunzip)

const compressors: Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => gzipAsync(body, { level: 9 }),
}

const compressed = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer>>>>()

/** Body in an encoding of `encodingFor`; null for the identity of a large body. */
export const encodedBody = (
  { bytes, encoding: stored }: EntryBody,
  encoding: Encoding,
): Promise<Buffer> | Buffer | null => {
  if (encoding === stored) return bytes
  if (stored === 'gzip' || encoding === 'identity') return null
  const variants = compressed.get(bytes) ?? {}
  compressed.set(bytes, variants)
  variants[encoding] ??= compressors[encoding](bytes).catch((error: unknown) => {
    // Forgets the failed compression, so that the next request tries again.
    delete variants[encoding]
    throw error
  })
  return variants[encoding]
}

/**
 * Content types worth compressing. Of images only SVG: other image formats are compressed already.
 */
const compressible = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/

/** Best encoding that the client accepts and that is worth its cost. */
export const encodingFor = (
  acceptEncoding: string | undefined,
  { body, headers }: Pick<CacheEntry, 'body' | 'headers'>,
): Encoding => {
  if (acceptEncoding === undefined || body.length < MIN_COMPRESSED_BYTES) return 'identity'
  if (!compressible.test(headers['content-type'] ?? '')) return 'identity'
  const accepted = new Map(
    acceptEncoding.split(',').map((coding) => {
      const [name = '', ...parameters] = coding.split(';').map((part) => part.trim().toLowerCase())
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
    }),
  )
  const available = body.encoding === 'gzip' ? largeBodyEncodings : encodings
  return available.find((encoding) => accepted.get(encoding) === true) ?? 'identity'
}

/** Compressed bytes that contain at least the beginning of a document, up to its main element. */
const OPENING_BYTES = 16 * 1024

/** Beginning of the body without encoding; the whole of a body that is not large. */
export const openingOf = ({ bytes, encoding }: EntryBody): Buffer =>
  encoding === 'identity'
    ? bytes
    : gunzipSync(bytes.subarray(0, OPENING_BYTES), { finishFlush: constants.Z_SYNC_FLUSH })

const outdated = new WeakMap<CacheEntry, Promise<EntryBody>>()

/**
 * Body of an outdated entry: a page shows its own time, other responses are marked by a header
 * alone.
 */
export const outdatedBody = (entry: CacheEntry): Promise<EntryBody> | EntryBody => {
  const isPage = entry.headers['content-type']?.startsWith('text/html') ?? false
  if (!isPage) return entry.body
  const known = outdated.get(entry) ?? withNote(entry)
  outdated.set(entry, known)
  known.catch(() => outdated.delete(entry))
  return known
}

const withNote = async ({ body, validatedAt }: CacheEntry): Promise<EntryBody> => {
  const iso = new Date(validatedAt).toISOString()
  const text = iso.replace('T', ' ').replace(/:\d\d\.\d+Z$/, ' UTC')
  const isPlain = body.encoding === 'identity'
  const page = isPlain ? body.bytes : await gunzipAsync(body.bytes)
  const shown = replaceOnce(page, OUTDATED_NOTE.start, OUTDATED_NOTE.start.replace(' hidden', ''))
  const dated = replaceOnce(shown, OUTDATED_NOTE.time, `<time datetime="${iso}">${text}</time>`)
  const bytes = isPlain ? dated : await gzipAsync(dated)
  return { bytes, encoding: body.encoding, length: dated.length }
}

/** Replaces the first occurrence; of bytes, because a large page exceeds no limit of a buffer. */
const replaceOnce = (page: Buffer, text: string, replacement: string): Buffer => {
  const at = page.indexOf(text)
  if (at === -1) return page
  const after = page.subarray(at + Buffer.byteLength(text))
  return Buffer.concat([page.subarray(0, at), Buffer.from(replacement), after])
}

/**
 * Cache entry: a public response as bytes, with the time up to which it is known to be valid. The
 * body is compressed once per encoding, not once per request.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { OUTDATED_NOTE } from '@status-page/contracts'

export interface CacheEntry {
  /** Response headers that are sent again. */
  headers: Readonly<Record<string, string>>
  body: Buffer
  etag: string
  /** Organization that owns the page. */
  organizationId: string
  slug: string
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

const MIN_COMPRESSED_BYTES = 1_024
/**
 * Brotli quality; bodies are compressed once per change. Quality 11 takes ten times as long and
 * saves a twentieth.
 */
const BROTLI_QUALITY = 7

const brotliAsync = promisify(brotliCompress)
const gzipAsync = promisify(gzip)

const compressors: Record<Exclude<Encoding, 'identity'>, (body: Buffer) => Promise<Buffer>> = {
  br: (body) => brotliAsync(body, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY } }),
  gzip: (body) => gzipAsync(body, { level: 9 }),
}

const compressed = new WeakMap<Buffer, Partial<Record<Encoding, Promise<Buffer>>>>()

export const compressedBody = (body: Buffer, encoding: Encoding): Promise<Buffer> | Buffer => {
  if (encoding === 'identity') return body
  const variants = compressed.get(body) ?? {}
  compressed.set(body, variants)
  variants[encoding] ??= compressors[encoding](body).catch((error: unknown) => {
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
    acceptEncoding.split(',').map((one) => {
      const [name = '', ...parameters] = one.split(';').map((part) => part.trim().toLowerCase())
      return [name, !parameters.some((parameter) => /^q=0(\.0*)?$/.test(parameter))]
    }),
  )
  return encodings.find((one) => accepted.get(one) === true) ?? 'identity'
}

const outdated = new WeakMap<CacheEntry, Buffer>()

/**
 * Body of an outdated entry: a page shows its own time, other responses are marked by a header
 * alone.
 */
export const outdatedBody = (entry: CacheEntry): Buffer => {
  const known = outdated.get(entry)
  if (known !== undefined) return known
  const isPage = entry.headers['content-type']?.startsWith('text/html') ?? false
  const outdatedBytes = isPage ? Buffer.from(withNote(entry)) : entry.body
  outdated.set(entry, outdatedBytes)
  return outdatedBytes
}

const withNote = ({ body, validatedAt }: CacheEntry): string => {
  const iso = new Date(validatedAt).toISOString()
  const text = iso.replace('T', ' ').replace(/:\d\d\.\d+Z$/, ' UTC')
  return body
    .toString()
    .replace(OUTDATED_NOTE.start, OUTDATED_NOTE.start.replace(' hidden', ''))
    .replace(OUTDATED_NOTE.time, `<time datetime="${iso}">${text}</time>`)
}

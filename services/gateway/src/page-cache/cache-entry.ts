/**
 * A public answer as it is kept: bytes, packed once for each encoding and not for each request, with the
 * time up to which it is known to be true.
 */
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { OUTDATED_NOTE } from '@status-page/contracts'

export interface CacheEntry {
  /** Of the answer, those that go out again. */
  headers: Readonly<Record<string, string>>
  body: Buffer
  etag: string
  /** Whose page it is. */
  organizationId: string
  slug: string
  /** When core last said so, in milliseconds since 1970; it was asked at `askedAt`. */
  validatedAt: number
  requestedAt: number
  /** How long nobody needs to ask again. */
  maxAgeMs: number
}

export const encodings = ['br', 'gzip', 'identity'] as const
export type Encoding = (typeof encodings)[number]

const MIN_COMPRESSED_BYTES = 1_024
/** Once a change, so it may cost; 11 takes ten times as long for a twentieth less. */
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
    // Whoever comes next tries anew.
    delete variants[encoding]
    throw error
  })
  return variants[encoding]
}

/** Of pictures only those that are drawn in words: the others are packed by their format. */
const compressible = /^(?:text\/|image\/svg\+xml|application\/(?:[\w.-]+\+)?(?:json|xml)\b)/

/** The best that the client takes and that is worth it. */
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

/** A page says by itself of when it is; other answers have the header alone. */
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

export const etagsMatch = (etag: string, ifNoneMatch: string | undefined): boolean => {
  if (ifNoneMatch === undefined) return false
  if (ifNoneMatch === etag) return true
  if (ifNoneMatch.trim() === '*') return true
  const plain = etag.replace(/^W\//, '')
  return ifNoneMatch.split(',').some((one) => one.trim().replace(/^W\//, '') === plain)
}

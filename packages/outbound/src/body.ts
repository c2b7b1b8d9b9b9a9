/** Reads a response body: decodes at most one content coding and limits the decoded size. */
import { pipeline, type Readable } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'

export interface CappedBody {
  body: Buffer
  /** True when the body exceeded the limit and its connection was closed. */
  truncated: boolean
}

/** Rejects when the connection or the decoding fails. Destroys the stream at the limit. */
export const readCappedBody = (
  stream: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<CappedBody> => {
  const { promise, resolve, reject } = Promise.withResolvers<CappedBody>()
  const source = decode(stream, contentEncoding)
  const chunks: Buffer[] = []
  let bytes = 0
  source.on('data', (chunk: Buffer) => {
    const room = maxBytes - bytes
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    bytes += chunk.length
    if (bytes <= maxBytes) return
    resolve({ body: Buffer.concat(chunks), truncated: true })
    source.destroy()
  })
  let isComplete = false
  source.once('end', () => {
    isComplete = true
    resolve({ body: joinChunks(chunks), truncated: false })
  })
  // The listener stays attached for errors after the promise is settled.
  source.on('error', reject)
  // The error is created only when needed: its stack trace costs a tenth of a request.
  source.once('close', () => {
    if (!isComplete) reject(new Error('closed before the end'))
  })
  return promise
}

export const joinChunks = (chunks: readonly Buffer[]): Buffer => {
  const [first] = chunks
  return chunks.length === 1 && first !== undefined ? first : Buffer.concat(chunks)
}

const decoders: Record<string, () => NodeJS.ReadWriteStream> = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
}

/**
 * Decodes the outer coding. A second layer or an unknown coding stays as received, since the
 * request accepts only `identity`.
 */
const decode = (stream: Readable, contentEncoding: string | undefined): Readable => {
  const coding = contentEncoding?.trim().toLowerCase() ?? ''
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  // A failure of either stream destroys the other and is reported by the reader.
  return decoder === undefined ? stream : (pipeline(stream, decoder(), () => {}) as never)
}

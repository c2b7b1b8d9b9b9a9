/** Reads an answer's body: at most one layer of compression, and a cap on what comes out of it. */
import { pipeline, type Readable } from 'node:stream'
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib'

export interface CappedBody {
  body: Buffer
  /** More would have come; the connection is gone. */
  truncated: boolean
}

/** Rejects when the connection or the compression breaks. Destroys the stream when the cap is reached. */
export const readCapped = (
  stream: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<CappedBody> => {
  const { promise, resolve, reject } = Promise.withResolvers<CappedBody>()
  const source = decoded(stream, contentEncoding)
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
  let isWhole = false
  source.once('end', () => {
    isWhole = true
    resolve({ body: whole(chunks), truncated: false })
  })
  // Stays for what comes after the answer is settled.
  source.on('error', reject)
  // An error that nobody is told still costs its stack: a tenth of an exchange.
  source.once('close', () => {
    if (!isWhole) reject(new Error('closed before the end'))
  })
  return promise
}

const whole = (chunks: readonly Buffer[]): Buffer => {
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

/** A second layer or an unknown coding stays as the bytes that came: we asked for `identity`. */
const decoded = (stream: Readable, contentEncoding: string | undefined): Readable => {
  const coding = contentEncoding?.trim().toLowerCase() ?? ''
  const decoder = Object.hasOwn(decoders, coding) ? decoders[coding] : undefined
  // A failure of either end destroys the other and shows in the loop that reads.
  return decoder === undefined ? stream : (pipeline(stream, decoder(), () => {}) as never)
}

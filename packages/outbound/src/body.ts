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
export const readCapped = async (
  stream: Readable,
  contentEncoding: string | undefined,
  maxBytes: number,
): Promise<CappedBody> => {
  const chunks: Buffer[] = []
  let bytes = 0
  // Leaving the loop early destroys the source, and with it the socket.
  for await (const chunk of decoded(stream, contentEncoding) as AsyncIterable<Buffer>) {
    const room = maxBytes - bytes
    chunks.push(chunk.length > room ? chunk.subarray(0, room) : chunk)
    bytes += chunk.length
    if (bytes > maxBytes) return { body: Buffer.concat(chunks), truncated: true }
  }
  return { body: Buffer.concat(chunks), truncated: false }
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

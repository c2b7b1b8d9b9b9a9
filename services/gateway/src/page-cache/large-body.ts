/**
 * Large bodies of public responses. They are compressed while they arrive and stored in no other
 * form, so that a page of any size takes little memory and costs core one response per change.
 */
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { AppError } from '@status-page/contracts'
import type { EntryBody } from './cache-entry.ts'

/** Maximum size of a compressed body, a third of the memory for pages. */
const MAX_COMPRESSED_BYTES = 32 * 1024 * 1024

/** Rejects with the error of the stream, or with 502 for a body that is too large to be stored. */
export const compressLargeBody = async (body: Readable): Promise<EntryBody> => {
  const chunks: Buffer[] = []
  const sizes = { plain: 0, compressed: 0 }
  await pipeline(
    body,
    async function* measured(source: AsyncIterable<Buffer>) {
      for await (const chunk of source) {
        sizes.plain += chunk.length
        yield chunk
      }
    },
    createGzip(),
    async (source: AsyncIterable<Buffer>) => {
      for await (const chunk of source) {
        sizes.compressed += chunk.length
        if (sizes.compressed > MAX_COMPRESSED_BYTES) throw tooLarge()
        chunks.push(chunk)
      }
    },
  )
  return { bytes: Buffer.concat(chunks), encoding: 'gzip', length: sizes.plain }
}

const tooLarge = () => new AppError('UPSTREAM_ERROR', 'The response of core is too large')

/** Stream of a large body without encoding, for the rare clients that do not accept gzip. */
export const plainLargeBody = ({ bytes }: EntryBody): Readable =>
  Readable.from([bytes]).pipe(createGunzip())

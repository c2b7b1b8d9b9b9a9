/** Files of a page as one ZIP archive, compressed in small pieces. */
import type { Cooperative } from '@status-page/contracts'
import { Zip, ZipDeflate } from 'fflate'
import type { LoadedFile } from './exported-file.ts'

/** Size of a piece that is compressed within a few milliseconds. */
const PIECE_BYTES = 64 * 1024

export function* createArchive(folder: string, files: readonly LoadedFile[]): Cooperative<Buffer> {
  const chunks: Uint8Array[] = []
  const zip = new Zip((error, chunk) => {
    if (error !== null) throw error
    chunks.push(chunk)
  })
  for (const { path, body: bytes } of files) {
    const entry = new ZipDeflate(`${folder}/${path}`)
    zip.add(entry)
    let start = 0
    do {
      const end = start + PIECE_BYTES
      entry.push(bytes.subarray(start, end), end >= bytes.length)
      start = end
      yield
    } while (start < bytes.length)
  }
  zip.end()
  return Buffer.concat(chunks)
}

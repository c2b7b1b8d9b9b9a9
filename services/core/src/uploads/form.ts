/** Form of an upload: one part named `file`. */
import { AppError, invalid, MAX_UPLOAD_BYTES } from '@status-page/contracts'
import type { MultipartPart } from '@status-page/service'

/** Throws 400 for other fields, a missing or an empty file, and 413 for a file that is too large. */
export const readUploadedFile = async (parts: AsyncIterable<MultipartPart>): Promise<Buffer> => {
  let file: Buffer | null = null
  for await (const part of parts) {
    const { name } = part
    if (part.kind === 'field') {
      const message =
        name === 'file' ? 'file must have a file name' : `${name} is not a known field`
      throw invalid({ field: name, message })
    }
    if (name !== 'file') {
      throw invalid({ field: name, message: 'The form field of the file must be named file' })
    }
    file = await contentOf(part.content)
  }
  if (file === null) throw invalid({ field: 'file', message: 'file is required' })
  if (file.length === 0) throw invalid({ field: 'file', message: 'file must not be empty' })
  return file
}

const contentOf = async (chunks: AsyncIterable<Buffer>): Promise<Buffer> => {
  const received: Buffer[] = []
  let bytes = 0
  for await (const chunk of chunks) {
    bytes += chunk.length
    if (bytes > MAX_UPLOAD_BYTES) throw tooLarge()
    received.push(chunk)
  }
  return Buffer.concat(received)
}

const KIB = 1024

const tooLarge = () =>
  new AppError('PAYLOAD_TOO_LARGE', `file must have at most ${MAX_UPLOAD_BYTES / KIB} KiB`)

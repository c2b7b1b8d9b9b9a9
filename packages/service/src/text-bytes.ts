/** Bytes and digest of large texts, with pauses: 500 long updates are up to 75 MB of HTML. */
import { createHash } from 'node:crypto'
import type { Cooperative } from '@status-page/contracts'

/** Characters per step; encoding or hashing them takes a few milliseconds. */
const STEP_LENGTH = 512 * 1024

/** Returns the text in UTF-8. */
export function* encodeCooperatively(text: string): Cooperative<Buffer> {
  const bytes = Buffer.allocUnsafeSlow(Buffer.byteLength(text))
  let written = 0
  let start = 0
  while (start < text.length) {
    const end = stepEnd(text, start)
    written += bytes.write(text.slice(start, end), written)
    start = end
    yield
  }
  return bytes
}

/** A pair of surrogates is encoded as one character. */
const stepEnd = (text: string, start: number): number => {
  const end = start + STEP_LENGTH
  return isHighSurrogate(text.charCodeAt(end - 1)) ? end + 1 : end
}

const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff

/** Returns the SHA-256 digest of bytes, or of a text in UTF-8, in base64url. */
export function* digestCooperatively(content: Buffer | string): Cooperative<string> {
  const hash = createHash('sha256')
  let start = 0
  while (start < content.length) {
    const end = typeof content === 'string' ? stepEnd(content, start) : start + STEP_LENGTH
    hash.update(
      typeof content === 'string' ? content.slice(start, end) : content.subarray(start, end),
    )
    start = end
    yield
  }
  return hash.digest('base64url')
}

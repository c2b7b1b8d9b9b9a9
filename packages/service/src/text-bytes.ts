/** Bytes and digests of large texts, made in steps: the updates of an incident can be 50 MB. */
import { createHash } from 'node:crypto'
import type { Cooperative } from '@status-page/contracts'

/** Characters that are encoded together, in well below a millisecond. */
const CHUNK_CHARACTERS = 64 * 1024
/** Bytes per step of a digest, a few milliseconds. */
const STEP_BYTES = 512 * 1024

/**
 * Text in UTF-8, appended in pieces and encoded in chunks. V8 would copy a string of many pieces as
 * a whole when it is first read: 150 ms for 75 MB.
 */
export class TextBytes {
  readonly #chunks: Buffer[] = []
  #text = ''
  #encodedLength = 0

  /** Number of appended characters and bytes, for pauses at intervals. */
  get length(): number {
    return this.#encodedLength + this.#text.length
  }

  append(piece: string | Buffer): void {
    if (typeof piece !== 'string') {
      this.#encode()
      this.#push(piece)
      return
    }
    this.#text += piece
    if (this.#text.length >= CHUNK_CHARACTERS) this.#encode()
  }

  toBuffer(): Buffer {
    this.#encode()
    return Buffer.concat(this.#chunks)
  }

  #encode(): void {
    this.#push(Buffer.from(this.#text))
    this.#text = ''
  }

  #push(bytes: Buffer): void {
    if (bytes.length === 0) return
    this.#chunks.push(bytes)
    this.#encodedLength += bytes.length
  }
}

/** Returns the SHA-256 digest in base64url. */
export function* digestCooperatively(bytes: Buffer): Cooperative<string> {
  const hash = createHash('sha256')
  for (let start = 0; start < bytes.length; start += STEP_BYTES) {
    hash.update(bytes.subarray(start, start + STEP_BYTES))
    yield
  }
  return hash.digest('base64url')
}

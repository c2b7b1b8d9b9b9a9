/** End of the output of a command, bounded by the bytes that the service stores of a ping. */

/** Bytes of the body of a ping that the service stores. */
export const MAX_OUTPUT_BYTES = 10 * 1024

/** Mask and value of the bytes that continue a character of UTF-8. */
const [CONTINUATION_MASK, CONTINUATION] = [0xc0, 0x80]

export class OutputTail {
  #bytes = Buffer.alloc(0)

  push(chunk: Buffer): void {
    const all = Buffer.concat([this.#bytes, chunk.subarray(-MAX_OUTPUT_BYTES)])
    this.#bytes = all.subarray(-MAX_OUTPUT_BYTES)
  }

  /** Last bytes, from the beginning of a character. */
  bytes(): Buffer {
    const start = this.#bytes.findIndex((byte) => (byte & CONTINUATION_MASK) !== CONTINUATION)
    return this.#bytes.subarray(Math.max(start, 0))
  }
}

/**
 * File of unsent results, one per line, which survive the end of the agent. Lines are appended; an
 * incomplete last line is ignored. A result that was sent may be read again: the service stores it
 * once.
 */
import { type FileHandle, open } from 'node:fs/promises'
import { type AgentResult, MAX_RESULT_AGE_HOURS } from '@status-page/contracts'

const HOUR_MS = 3_600_000
const MAX_BYTES = 64 * 1024 * 1024
const OWNER_ONLY = 0o600
const NEWLINE = 0x0a

export class Spool {
  readonly #file: FileHandle
  readonly #maxBytes: number
  #size: number

  private constructor(file: FileHandle, size: number, maxBytes: number) {
    this.#file = file
    this.#size = size
    this.#maxBytes = maxBytes
  }

  /** Opens the file, or creates it, and reads the results that are not too old for the service. */
  static async open(
    path: string,
    nowMs: number,
    maxBytes: number = MAX_BYTES,
  ): Promise<{ spool: Spool; results: AgentResult[] }> {
    const file = await open(path, 'a+', OWNER_ONLY)
    const content = await file.readFile()
    const size = content.lastIndexOf(NEWLINE) + 1
    await file.truncate(size)
    const earliestMs = nowMs - MAX_RESULT_AGE_HOURS * HOUR_MS
    const results = content
      .toString('utf8', 0, size)
      .split('\n')
      .map(parseLine)
      .filter((result) => result !== null)
      .filter(({ slotAt }) => Date.parse(slotAt) >= earliestMs)
    return { spool: new Spool(file, size, maxBytes), results: unique(results) }
  }

  /** Appends results; `all` are those of the spool, which replace its content beyond the limit. */
  async append(results: readonly AgentResult[], all: () => readonly AgentResult[]): Promise<void> {
    if (results.length === 0) return
    const lines = linesOf(results)
    if (this.#size + lines.length > this.#maxBytes) return this.#replace(all())
    await this.#write(lines)
  }

  async clear(): Promise<void> {
    if (this.#size === 0) return
    await this.#file.truncate(0)
    this.#size = 0
  }

  close(): Promise<void> {
    return this.#file.close()
  }

  /** Keeps the newest results that need half of the limit. */
  async #replace(results: readonly AgentResult[]): Promise<void> {
    const newest: Buffer[] = []
    let left = this.#maxBytes / 2
    for (const result of results.toReversed()) {
      const line = linesOf([result])
      left -= line.length
      if (left < 0) break
      newest.push(line)
    }
    await this.clear()
    await this.#write(Buffer.concat(newest.toReversed()))
  }

  async #write(lines: Buffer): Promise<void> {
    try {
      await this.#file.appendFile(lines)
      await this.#file.datasync()
      this.#size += lines.length
    } catch (error) {
      // Removes what was written, such as the part that a full disk had space for.
      await this.#file.truncate(this.#size)
      throw error
    }
  }
}

const linesOf = (results: readonly AgentResult[]): Buffer =>
  Buffer.from(results.map((result) => `${JSON.stringify(result)}\n`).join(''))

const parseLine = (line: string): AgentResult | null => {
  try {
    const { componentId, slotAt, result } = JSON.parse(line)
    const isComplete = [componentId, slotAt, result?.status].every(
      (value) => typeof value === 'string',
    )
    return isComplete ? { componentId, slotAt, result } : null
  } catch {
    return null
  }
}

const unique = (results: readonly AgentResult[]): AgentResult[] => [
  ...new Map(results.map((one) => [`${one.componentId} ${one.slotAt}`, one])).values(),
]
